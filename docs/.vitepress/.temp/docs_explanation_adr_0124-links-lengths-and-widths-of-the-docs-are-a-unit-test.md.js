import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0124. Links, lengths and widths of the docs are a unit test","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0124-links-lengths-and-widths-of-the-docs-are-a-unit-test.md","filePath":"docs/explanation/adr/0124-links-lengths-and-widths-of-the-docs-are-a-unit-test.md"}');
const _sfc_main = { name: "docs/explanation/adr/0124-links-lengths-and-widths-of-the-docs-are-a-unit-test.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0124-links-lengths-and-widths-of-the-docs-are-a-unit-test" tabindex="-1">0124. Links, lengths and widths of the docs are a unit test <a class="header-anchor" href="#0124-links-lengths-and-widths-of-the-docs-are-a-unit-test" aria-label="Permalink to &quot;0124. Links, lengths and widths of the docs are a unit test&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>test/unit/docs parses each page with remark (remark-parse, remark-gfm) and slugs headings with github-slugger, the slugger of GitHub. markdown-link-extractor would give links and anchors only; the same tree serves for line widths, and for the sentences of README, which Intl.Segmenter splits. 367 tests take 2.4 s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0124-links-lengths-and-widths-of-the-docs-are-a-unit-test.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0124LinksLengthsAndWidthsOfTheDocsAreAUnitTest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0124LinksLengthsAndWidthsOfTheDocsAreAUnitTest as default
};
