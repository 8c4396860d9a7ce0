import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0035. Pods that two selectors find move neither","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0035-pods-that-two-selectors-find-move-neither.md","filePath":"docs/explanation/adr/0035-pods-that-two-selectors-find-move-neither.md"}');
const _sfc_main = { name: "docs/explanation/adr/0035-pods-that-two-selectors-find-move-neither.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0035-pods-that-two-selectors-find-move-neither" tabindex="-1">0035. Pods that two selectors find move neither <a class="header-anchor" href="#0035-pods-that-two-selectors-find-move-neither" aria-label="Permalink to &quot;0035. Pods that two selectors find move neither&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>As under two HPAs (validateAndParseSelector in horizontal.go): each would scale for pods that the other scales. What an MLScaler claimed counts until it observes, stands back, is gone, or has no target, no replicas or no selector; an HPA&#39;s claim stays as long as the HPA. Two selectors that want different values of one label are told apart without a look at pods, so that 1,000 MLScalers in one namespace cost each sync 1,000 comparisons. Selectors of HPAs are not known: the scale of each HPA&#39;s target would have to be read. Set-based selectors (<code>tier in (a,b)</code>) are read by labels.Parse&#39;s grammar here; before, such pods were listed at every sync.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0035-pods-that-two-selectors-find-move-neither.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0035PodsThatTwoSelectorsFindMoveNeither = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0035PodsThatTwoSelectorsFindMoveNeither as default
};
