import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0022. Defaults that depend on the form are not in the CRD","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0022-defaults-that-depend-on-the-form-are-not-in-the-crd.md","filePath":"docs/explanation/adr/0022-defaults-that-depend-on-the-form-are-not-in-the-crd.md"}');
const _sfc_main = { name: "docs/explanation/adr/0022-defaults-that-depend-on-the-form-are-not-in-the-crd.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0022-defaults-that-depend-on-the-form-are-not-in-the-crd" tabindex="-1">0022. Defaults that depend on the form are not in the CRD <a class="header-anchor" href="#0022-defaults-that-depend-on-the-form-are-not-in-the-crd" aria-label="Permalink to &quot;0022. Defaults that depend on the form are not in the CRD&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A CRD cannot give 30 s to one form and 15 s to the other, nor can a rule refuse a <code>replicas_per_unit</code> that the CRD itself filled in. So these three have no default there, and are filled in when a spec is read.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0022-defaults-that-depend-on-the-form-are-not-in-the-crd.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0022DefaultsThatDependOnTheFormAreNotInTheCrd = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0022DefaultsThatDependOnTheFormAreNotInTheCrd as default
};
