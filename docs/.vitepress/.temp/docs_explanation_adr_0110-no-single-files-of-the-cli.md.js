import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0110. No single files of the CLI","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0110-no-single-files-of-the-cli.md","filePath":"docs/explanation/adr/0110-no-single-files-of-the-cli.md"}');
const _sfc_main = { name: "docs/explanation/adr/0110-no-single-files-of-the-cli.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0110-no-single-files-of-the-cli" tabindex="-1">0110. No single files of the CLI <a class="header-anchor" href="#0110-no-single-files-of-the-cli" aria-label="Permalink to &quot;0110. No single files of the CLI&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Tried: Node&#39;s SEA with postject 1.0.0-alpha.6 makes a Linux file that works, of 133 MB (43 MB gzipped); the npm package has 1.5 MB and runs on any Node from 20.19. It would need that alpha as a dependency, a Node binary of each platform of the version that makes the blob, and for macOS a signature that only macOS makes, which could not be tried.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0110-no-single-files-of-the-cli.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0110NoSingleFilesOfTheCli = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0110NoSingleFilesOfTheCli as default
};
