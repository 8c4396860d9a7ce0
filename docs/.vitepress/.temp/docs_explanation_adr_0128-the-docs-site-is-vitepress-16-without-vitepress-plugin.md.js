import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0128. The docs site is VitePress 1.6, without vitepress-plugin-mermaid","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0128-the-docs-site-is-vitepress-16-without-vitepress-plugin.md","filePath":"docs/explanation/adr/0128-the-docs-site-is-vitepress-16-without-vitepress-plugin.md"}');
const _sfc_main = { name: "docs/explanation/adr/0128-the-docs-site-is-vitepress-16-without-vitepress-plugin.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0128-the-docs-site-is-vitepress-16-without-vitepress-plugin-mermaid" tabindex="-1">0128. The docs site is VitePress 1.6, without vitepress-plugin-mermaid <a class="header-anchor" href="#0128-the-docs-site-is-vitepress-16-without-vitepress-plugin-mermaid" aria-label="Permalink to &quot;0128. The docs site is VitePress 1.6, without vitepress-plugin-mermaid&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The source folder is the root of the repository, so README.md is the home page and a link that works on GitHub works on the site. Anchors are GitHub&#39;s (github-slugger). Links to files that are no pages lead to copies of these files. A dead page, heading or file fails <code>npm run docs</code>, and <code>npm run lint</code> runs that build (12 to 15 s of CPU). vitepress-plugin-mermaid was last released in December 2024 and supports Mermaid 10 and 11 only. 40 lines in the theme draw the diagrams with mermaid.min.js, which only pages with a diagram load. Mermaid 12 needs Node 22, so it is 11.17. Rollup is at 4.64.10 in the lockfile: for 4.68 the package registry that was used lacks most platform packages, and <code>npm ci</code> then refuses the lockfile.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0128-the-docs-site-is-vitepress-16-without-vitepress-plugin.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0128TheDocsSiteIsVitepress16WithoutVitepressPlugin = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0128TheDocsSiteIsVitepress16WithoutVitepressPlugin as default
};
