import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0013. A name that more is derived from is a rule of the CRD","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0013-a-name-that-more-is-derived-from-is-a-rule-of-the-crd.md","filePath":"docs/explanation/adr/0013-a-name-that-more-is-derived-from-is-a-rule-of-the-crd.md"}');
const _sfc_main = { name: "docs/explanation/adr/0013-a-name-that-more-is-derived-from-is-a-rule-of-the-crd.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0013-a-name-that-more-is-derived-from-is-a-rule-of-the-crd" tabindex="-1">0013. A name that more is derived from is a rule of the CRD <a class="header-anchor" href="#0013-a-name-that-more-is-derived-from-is-a-rule-of-the-crd" aria-label="Permalink to &quot;0013. A name that more is derived from is a rule of the CRD&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The names of EasyServices, Hellos and Echoes become labels, container and Service names. CEL at the root of the CRD sees <code>metadata.name</code>, so such a name is refused even while the webhook is away; only an object that exists already could never be updated again, so these rules were there from the first version on.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0013-a-name-that-more-is-derived-from-is-a-rule-of-the-crd.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0013ANameThatMoreIsDerivedFromIsARuleOfTheCrd = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0013ANameThatMoreIsDerivedFromIsARuleOfTheCrd as default
};
