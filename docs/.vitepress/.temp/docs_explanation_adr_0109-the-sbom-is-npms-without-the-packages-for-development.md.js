import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0109. The SBOM is npm's, without the packages for development","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0109-the-sbom-is-npms-without-the-packages-for-development.md","filePath":"docs/explanation/adr/0109-the-sbom-is-npms-without-the-packages-for-development.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0109-the-sbom-is-npms-without-the-packages-for-development.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0109-the-sbom-is-npms-without-the-packages-for-development" tabindex="-1">0109. The SBOM is npm&#39;s, without the packages for development <a class="header-anchor" href="#0109-the-sbom-is-npms-without-the-packages-for-development" aria-label="Permalink to &quot;0109. The SBOM is npm&#39;s, without the packages for development&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm sbom</code> refuses the whole tree: vite wants another esbuild than Pepr pins (an optional peer). <code>npm sbom --omit dev</code> leaves out what any package only develops with: 19 packages in the CLI&#39;s bundle were missing, commander and yaml among them. So it is asked about a copy of the lockfile without the packages marked <code>dev</code>. What the CLI bundles (commander, csv-parse, luxon, …) moved from devDependencies to dependencies: dependencies are what is shipped. A test compares the SBOM with the bundles. It lists 443 packages, more than are bundled (esbuild drops unused ones), and nothing of the base image.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0109-the-sbom-is-npms-without-the-packages-for-development.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0109TheSbomIsNpmsWithoutThePackagesForDevelopment = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0109TheSbomIsNpmsWithoutThePackagesForDevelopment as default
};
