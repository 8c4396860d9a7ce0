import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0123. Decisions are a file each","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0123-decisions-are-a-file-each.md","filePath":"docs/explanation/adr/0123-decisions-are-a-file-each.md"}');
const _sfc_main = { name: "docs/explanation/adr/0123-decisions-are-a-file-each.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0123-decisions-are-a-file-each" tabindex="-1">0123. Decisions are a file each <a class="header-anchor" href="#0123-decisions-are-a-file-each" aria-label="Permalink to &quot;0123. Decisions are a file each&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>docs/decisions.md was one page of 979 lines with 119 entries. It is now docs/explanation/adr/NNNN-title.md, split by a script: a heading is a file, paragraphs that begin with a measurement are below &quot;Figures&quot;, everything else below &quot;Decision&quot;. Nothing was rewritten but the line breaks, so &quot;Context&quot; and &quot;Consequences&quot; exist in new entries only.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0123-decisions-are-a-file-each.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0123DecisionsAreAFileEach = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0123DecisionsAreAFileEach as default
};
