import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0017. A target's own ceiling is asked of the target","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0017-a-targets-own-ceiling-is-asked-of-the-target.md","filePath":"docs/explanation/adr/0017-a-targets-own-ceiling-is-asked-of-the-target.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0017-a-targets-own-ceiling-is-asked-of-the-target.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0017-a-targets-own-ceiling-is-asked-of-the-target" tabindex="-1">0017. A target&#39;s own ceiling is asked of the target <a class="header-anchor" href="#0017-a-targets-own-ceiling-is-asked-of-the-target" aria-label="Permalink to &quot;0017. A target&#39;s own ceiling is asked of the target&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>At admission <code>max_replicas</code> is tried on the target&#39;s scale with <code>dryRun=All</code>, for <code>target_ref</code> only: it asks whoever decides, a CRD rule or a webhook of a kind that this module has never heard of.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0017-a-targets-own-ceiling-is-asked-of-the-target.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0017ATargetsOwnCeilingIsAskedOfTheTarget = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0017ATargetsOwnCeilingIsAskedOfTheTarget as default
};
