import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0098. dist/install is in the repository, CRDs carry the version","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0098-dist-install-is-in-the-repository-crds-carry-the-version.md","filePath":"docs/explanation/adr/0098-dist-install-is-in-the-repository-crds-carry-the-version.md"}');
const _sfc_main = { name: "docs/explanation/adr/0098-dist-install-is-in-the-repository-crds-carry-the-version.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0098-distinstall-is-in-the-repository-crds-carry-the-version" tabindex="-1">0098. dist/install is in the repository, CRDs carry the version <a class="header-anchor" href="#0098-distinstall-is-in-the-repository-crds-carry-the-version" aria-label="Permalink to &quot;0098. dist/install is in the repository, CRDs carry the version&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm run build</code> no longer empties <code>dist/install</code> with the rest. CRDs have the annotation <code>mlscaler.example.com/version</code>: with <code>crds.enabled=false</code> the chart compares it with its own.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0098-dist-install-is-in-the-repository-crds-carry-the-version.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0098DistInstallIsInTheRepositoryCrdsCarryTheVersion = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0098DistInstallIsInTheRepositoryCrdsCarryTheVersion as default
};
