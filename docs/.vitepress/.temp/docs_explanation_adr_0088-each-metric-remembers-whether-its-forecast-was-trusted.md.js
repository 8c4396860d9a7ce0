import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0088. Each metric remembers whether its forecast was trusted","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0088-each-metric-remembers-whether-its-forecast-was-trusted.md","filePath":"docs/explanation/adr/0088-each-metric-remembers-whether-its-forecast-was-trusted.md"}');
const _sfc_main = { name: "docs/explanation/adr/0088-each-metric-remembers-whether-its-forecast-was-trusted.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0088-each-metric-remembers-whether-its-forecast-was-trusted" tabindex="-1">0088. Each metric remembers whether its forecast was trusted <a class="header-anchor" href="#0088-each-metric-remembers-whether-its-forecast-was-trusted" aria-label="Permalink to &quot;0088. Each metric remembers whether its forecast was trusted&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>After a restart, a forecast that was trusted is waited for, and holds the count for up to ten minutes. <code>status.forecast.trusted</code> was the only memory of that, one value for all metrics. So a metric that was added a minute ago held the count as well, and <code>ForecastReady</code> said <code>Replaying</code> until its 288 forecasts were scored, a day later. <code>status.metrics[].trusted</code> tells them apart. Without it (an older status, another generation of the spec, the short form) the one value counts, as before.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0088-each-metric-remembers-whether-its-forecast-was-trusted.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0088EachMetricRemembersWhetherItsForecastWasTrusted = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0088EachMetricRemembersWhetherItsForecastWasTrusted as default
};
