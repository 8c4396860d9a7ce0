import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0090. The image has the module","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0090-the-image-has-the-module.md","filePath":"docs/explanation/adr/0090-the-image-has-the-module.md"}');
const _sfc_main = { name: "docs/explanation/adr/0090-the-image-has-the-module.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0090-the-image-has-the-module" tabindex="-1">0090. The image has the module <a class="header-anchor" href="#0090-the-image-has-the-module" aria-label="Permalink to &quot;0090. The image has the module&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npx pepr deploy</code> puts the module into a Secret. In a chart that Secret would be 330 kB of base64 twice in each release Secret (limit 1 MB), and a second thing to sign and scan. <code>controller.js</code> of our image runs <code>module.js</code> beside it when it gets no hash, and the module of the Secret when it gets one, as before.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0090-the-image-has-the-module.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0090TheImageHasTheModule = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0090TheImageHasTheModule as default
};
