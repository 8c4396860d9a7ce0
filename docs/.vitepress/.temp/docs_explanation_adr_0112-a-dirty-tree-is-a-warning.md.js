import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0112. A dirty tree is a warning","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0112-a-dirty-tree-is-a-warning.md","filePath":"docs/explanation/adr/0112-a-dirty-tree-is-a-warning.md"}');
const _sfc_main = { name: "docs/explanation/adr/0112-a-dirty-tree-is-a-warning.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0112-a-dirty-tree-is-a-warning" tabindex="-1">0112. A dirty tree is a warning <a class="header-anchor" href="#0112-a-dirty-tree-is-a-warning" aria-label="Permalink to &quot;0112. A dirty tree is a warning&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Uncommitted files are named on standard error. The workflow checks out a commit, so a refusal would only be in the way of trials. A version without a section in CHANGELOG.md is refused; &quot;Unreleased&quot; in place of the date of a release is a warning.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0112-a-dirty-tree-is-a-warning.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0112ADirtyTreeIsAWarning = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0112ADirtyTreeIsAWarning as default
};
