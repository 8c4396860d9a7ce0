import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0034. The shadow differs by what was decided alone","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0034-the-shadow-differs-by-what-was-decided-alone.md","filePath":"docs/explanation/adr/0034-the-shadow-differs-by-what-was-decided-alone.md"}');
const _sfc_main = { name: "docs/explanation/adr/0034-the-shadow-differs-by-what-was-decided-alone.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0034-the-shadow-differs-by-what-was-decided-alone" tabindex="-1">0034. The shadow differs by what was decided alone <a class="header-anchor" href="#0034-the-shadow-differs-by-what-was-decided-alone" aria-label="Permalink to &quot;0034. The shadow differs by what was decided alone&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>What HPA alone would have done is decided by <code>scaling/</code> over the total loads, on which the pods that are really there have no influence. Both sides are reckoned with the same start-up time, the target&#39;s own side too: pods that are really late, or restart, would have been late for an HPA as well. A load counts as under-provisioned above the tolerance, since below it HPA&#39;s rule does not add replicas either. It is kept in memory and not stored: it decides nothing.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0034-the-shadow-differs-by-what-was-decided-alone.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0034TheShadowDiffersByWhatWasDecidedAlone = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0034TheShadowDiffersByWhatWasDecidedAlone as default
};
