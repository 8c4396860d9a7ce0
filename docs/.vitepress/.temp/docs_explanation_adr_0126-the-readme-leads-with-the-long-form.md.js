import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0126. The README leads with the long form","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0126-the-readme-leads-with-the-long-form.md","filePath":"docs/explanation/adr/0126-the-readme-leads-with-the-long-form.md"}');
const _sfc_main = { name: "docs/explanation/adr/0126-the-readme-leads-with-the-long-form.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0126-the-readme-leads-with-the-long-form" tabindex="-1">0126. The README leads with the long form <a class="header-anchor" href="#0126-the-readme-leads-with-the-long-form" aria-label="Permalink to &quot;0126. The README leads with the long form&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The short form acts before it is proven, and 10 replicas a core is right for few pods; docs/getting-started/short-form.md says so plainly.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0126-the-readme-leads-with-the-long-form.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0126TheReadmeLeadsWithTheLongForm = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0126TheReadmeLeadsWithTheLongForm as default
};
