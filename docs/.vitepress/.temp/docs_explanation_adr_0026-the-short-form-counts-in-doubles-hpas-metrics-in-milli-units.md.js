import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0026. The short form counts in doubles, HPA's metrics in milli-units","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0026-the-short-form-counts-in-doubles-hpas-metrics-in-milli-units.md","filePath":"docs/explanation/adr/0026-the-short-form-counts-in-doubles-hpas-metrics-in-milli-units.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0026-the-short-form-counts-in-doubles-hpas-metrics-in-milli-units.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0026-the-short-form-counts-in-doubles-hpas-metrics-in-milli-units" tabindex="-1">0026. The short form counts in doubles, HPA&#39;s metrics in milli-units <a class="header-anchor" href="#0026-the-short-form-counts-in-doubles-hpas-metrics-in-milli-units" aria-label="Permalink to &quot;0026. The short form counts in doubles, HPA&#39;s metrics in milli-units&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>HPA rounds each value up to a thousandth. For the short form 0.6 cores on seven pods would become 0.602, and ask for 7 instead of 6. In the same way what is stored of its loads are doubles: as a float, 0.6 comes back as 0.60000002.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0026-the-short-form-counts-in-doubles-hpas-metrics-in-milli-units.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0026TheShortFormCountsInDoublesHpasMetricsInMilliUnits = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0026TheShortFormCountsInDoublesHpasMetricsInMilliUnits as default
};
