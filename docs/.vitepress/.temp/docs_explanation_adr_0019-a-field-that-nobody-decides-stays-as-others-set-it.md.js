import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0019. A field that nobody decides stays as others set it","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0019-a-field-that-nobody-decides-stays-as-others-set-it.md","filePath":"docs/explanation/adr/0019-a-field-that-nobody-decides-stays-as-others-set-it.md"}');
const _sfc_main = { name: "docs/explanation/adr/0019-a-field-that-nobody-decides-stays-as-others-set-it.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0019-a-field-that-nobody-decides-stays-as-others-set-it" tabindex="-1">0019. A field that nobody decides stays as others set it <a class="header-anchor" href="#0019-a-field-that-nobody-decides-stays-as-others-set-it" aria-label="Permalink to &quot;0019. A field that nobody decides stays as others set it&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Server-side apply owns the fields that are written, no more. A sidecar or a variable that somebody adds to a Deployment of a Hello or an EasyService stays; what the resource writes itself is put back. <code>kubectl edit</code> of a Service&#39;s port adds a port beside.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0019-a-field-that-nobody-decides-stays-as-others-set-it.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0019AFieldThatNobodyDecidesStaysAsOthersSetIt = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0019AFieldThatNobodyDecidesStaysAsOthersSetIt as default
};
