import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0045. Without a forecast block the short form keeps its line","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0045-without-a-forecast-block-the-short-form-keeps-its-line.md","filePath":"docs/explanation/adr/0045-without-a-forecast-block-the-short-form-keeps-its-line.md"}');
const _sfc_main = { name: "docs/explanation/adr/0045-without-a-forecast-block-the-short-form-keeps-its-line.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0045-without-a-forecast-block-the-short-form-keeps-its-line" tabindex="-1">0045. Without a forecast block the short form keeps its line <a class="header-anchor" href="#0045-without-a-forecast-block-the-short-form-keeps-its-line" aria-label="Permalink to &quot;0045. Without a forecast block the short form keeps its line&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>forecast: {}</code> is the block with its defaults, <code>auto</code> and trust included. Without it the short form is as it was, a line through the last samples that counts from the start, demoted when 288 scored forecasts were worse than the last value. Its load goes into the coarse grid all the same, so that the block finds a history.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0045-without-a-forecast-block-the-short-form-keeps-its-line.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0045WithoutAForecastBlockTheShortFormKeepsItsLine = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0045WithoutAForecastBlockTheShortFormKeepsItsLine as default
};
