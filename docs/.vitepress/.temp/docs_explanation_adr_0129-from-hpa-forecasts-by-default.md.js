import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0129. from-hpa forecasts by default","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0129-from-hpa-forecasts-by-default.md","filePath":"docs/explanation/adr/0129-from-hpa-forecasts-by-default.md"}');
const _sfc_main = { name: "docs/explanation/adr/0129-from-hpa-forecasts-by-default.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0129-from-hpa-forecasts-by-default" tabindex="-1">0129. from-hpa forecasts by default <a class="header-anchor" href="#0129-from-hpa-forecasts-by-default" aria-label="Permalink to &quot;0129. from-hpa forecasts by default&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>mlscaler from-hpa</code> writes <code>mode: Observe</code> and <code>forecast: {model: auto}</code>, because that is why one migrates. <code>--forecast off</code> gives the counts of the HPA. <code>rollout_freeze: false</code> stays in both, so that the forecast is the only difference.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0129-from-hpa-forecasts-by-default.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0129FromHpaForecastsByDefault = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0129FromHpaForecastsByDefault as default
};
