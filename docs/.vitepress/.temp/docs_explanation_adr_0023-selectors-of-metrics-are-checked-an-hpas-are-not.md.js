import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0023. Selectors of metrics are checked, an HPA's are not","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0023-selectors-of-metrics-are-checked-an-hpas-are-not.md","filePath":"docs/explanation/adr/0023-selectors-of-metrics-are-checked-an-hpas-are-not.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0023-selectors-of-metrics-are-checked-an-hpas-are-not.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0023-selectors-of-metrics-are-checked-an-hpas-are-not" tabindex="-1">0023. Selectors of metrics are checked, an HPA&#39;s are not <a class="header-anchor" href="#0023-selectors-of-metrics-are-checked-an-hpas-are-not" aria-label="Permalink to &quot;0023. Selectors of metrics are checked, an HPA&#39;s are not&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The API server takes any selector in an HPA, whose metric then fails at each sync. Here it is refused at once.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0023-selectors-of-metrics-are-checked-an-hpas-are-not.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0023SelectorsOfMetricsAreCheckedAnHpasAreNot = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0023SelectorsOfMetricsAreCheckedAnHpasAreNot as default
};
