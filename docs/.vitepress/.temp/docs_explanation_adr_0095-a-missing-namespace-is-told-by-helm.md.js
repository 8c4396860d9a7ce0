import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0095. A missing namespace is told by Helm","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0095-a-missing-namespace-is-told-by-helm.md","filePath":"docs/explanation/adr/0095-a-missing-namespace-is-told-by-helm.md"}');
const _sfc_main = { name: "docs/explanation/adr/0095-a-missing-namespace-is-told-by-helm.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0095-a-missing-namespace-is-told-by-helm" tabindex="-1">0095. A missing namespace is told by Helm <a class="header-anchor" href="#0095-a-missing-namespace-is-told-by-helm" aria-label="Permalink to &quot;0095. A missing namespace is told by Helm&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Helm renders before <code>--create-namespace</code> creates, so a template cannot tell a namespace that will be there from one that will not. Helm&#39;s own message names it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0095-a-missing-namespace-is-told-by-helm.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0095AMissingNamespaceIsToldByHelm = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0095AMissingNamespaceIsToldByHelm as default
};
