import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0114. npm run image asks the builder for the name","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0114-npm-run-image-asks-the-builder-for-the-name.md","filePath":"docs/explanation/adr/0114-npm-run-image-asks-the-builder-for-the-name.md"}');
const _sfc_main = { name: "docs/explanation/adr/0114-npm-run-image-asks-the-builder-for-the-name.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0114-npm-run-image-asks-the-builder-for-the-name" tabindex="-1">0114. npm run image asks the builder for the name <a class="header-anchor" href="#0114-npm-run-image-asks-the-builder-for-the-name" aria-label="Permalink to &quot;0114. npm run image asks the builder for the name&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>podman puts localhost/ before a name without a registry, or takes the name for the end of one that it has (both seen with podman 4.3). The hint has what <code>image inspect</code> answers. A second <code>npm run image</code> does not build: <code>preimage</code> builds only when sources changed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0114-npm-run-image-asks-the-builder-for-the-name.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0114NpmRunImageAsksTheBuilderForTheName = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0114NpmRunImageAsksTheBuilderForTheName as default
};
