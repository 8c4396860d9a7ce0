import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0081. Quotas count loads","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0081-quotas-count-loads.md","filePath":"docs/explanation/adr/0081-quotas-count-loads.md"}');
const _sfc_main = { name: "docs/explanation/adr/0081-quotas-count-loads.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0081-quotas-count-loads" tabindex="-1">0081. Quotas count loads <a class="header-anchor" href="#0081-quotas-count-loads" aria-label="Permalink to &quot;0081. Quotas count loads&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A load takes 113 kB (32 kB of grid, 81 kB of models; 20 loads, <code>--expose-gc</code>, heap and array buffers). 1,500 in all keep the watcher at about 474 MB of 537 MB; 500 of a namespace. By age, not by first come: a restart lists in another order. The messages have no number that moves with others. Over it a spec is treated as with <code>model: &quot;off&quot;</code> and the shortest history, so no other step knows of quotas. MLScalers without a forecast still take 0.08 MB each; their number is left to ResourceQuota (<code>count/mlscalers.example.com</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0081-quotas-count-loads.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0081QuotasCountLoads = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0081QuotasCountLoads as default
};
