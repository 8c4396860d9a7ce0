import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0074. An absent forecast that was trusted holds the count","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0074-an-absent-forecast-that-was-trusted-holds-the-count.md","filePath":"docs/explanation/adr/0074-an-absent-forecast-that-was-trusted-holds-the-count.md"}');
const _sfc_main = { name: "docs/explanation/adr/0074-an-absent-forecast-that-was-trusted-holds-the-count.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0074-an-absent-forecast-that-was-trusted-holds-the-count" tabindex="-1">0074. An absent forecast that was trusted holds the count <a class="header-anchor" href="#0074-an-absent-forecast-that-was-trusted-holds-the-count" aria-label="Permalink to &quot;0074. An absent forecast that was trusted holds the count&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>&quot;No forecast yet&quot; was read as &quot;asks for nothing&quot;: after a restart the pre-scaled replicas fell. Now a forecast that was trusted holds the count until it has a verdict again. A verdict needs 288 scored forecasts, so the rule needs no knowledge of replays, ConfigMaps that are read late, or backfills. The wait of one load ends after 10 minutes of <code>performance.now()</code>, counted from when it was first absent; 1,000 replays took 177 to 579 s. A new forecaster of the same load (another horizon, quantile or model) inherits the wait, but another model inherits no trust.</p><ul><li>ForecastReady is Unknown/Replaying while it holds, because nothing is wrong and alerts on False stay silent, and False/Replaying after the deadline. <code>kubectl wait --for=condition=ForecastReady</code> waits in both.</li><li><code>status.forecast.trusted</code> stays true while the forecast is awaited, also when the metrics fail in the first sync of a process: else a second restart would not know. It holds one value, so with several metrics each load is awaited after a restart; a metric that was never trusted then holds the count for up to 10 minutes.</li><li>The deadline is a constant. A field of the spec would be one more thing to explain.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0074-an-absent-forecast-that-was-trusted-holds-the-count.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0074AnAbsentForecastThatWasTrustedHoldsTheCount = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0074AnAbsentForecastThatWasTrustedHoldsTheCount as default
};
