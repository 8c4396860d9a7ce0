import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0108. The version of a release is stamped","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0108-the-version-of-a-release-is-stamped.md","filePath":"docs/explanation/adr/0108-the-version-of-a-release-is-stamped.md"}');
const _sfc_main = { name: "docs/explanation/adr/0108-the-version-of-a-release-is-stamped.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0108-the-version-of-a-release-is-stamped" tabindex="-1">0108. The version of a release is stamped <a class="header-anchor" href="#0108-the-version-of-a-release-is-stamped" aria-label="Permalink to &quot;0108. The version of a release is stamped&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>CRDs, chart and CLI of <code>npm run release</code> have the version of <code>--version</code>, so that a pre-release needs no commit. Without it they have that of package.json. <code>helm package</code> gives its files the time of now; the package is packed again with the time of the commit.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0108-the-version-of-a-release-is-stamped.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0108TheVersionOfAReleaseIsStamped = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0108TheVersionOfAReleaseIsStamped as default
};
