import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0046. The coarse grid has no maxima, and forecasters no loads of their own","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0046-the-coarse-grid-has-no-maxima-and-forecasters-no-loads.md","filePath":"docs/explanation/adr/0046-the-coarse-grid-has-no-maxima-and-forecasters-no-loads.md"}');
const _sfc_main = { name: "docs/explanation/adr/0046-the-coarse-grid-has-no-maxima-and-forecasters-no-loads.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0046-the-coarse-grid-has-no-maxima-and-forecasters-no-loads-of-their-own" tabindex="-1">0046. The coarse grid has no maxima, and forecasters no loads of their own <a class="header-anchor" href="#0046-the-coarse-grid-has-no-maxima-and-forecasters-no-loads-of-their-own" aria-label="Permalink to &quot;0046. The coarse grid has no maxima, and forecasters no loads of their own&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The design asks for means and maxima. Nothing read the maxima: loads are forecast by their means, and what they move within a slot is in the errors that the quantile is taken from. They were 32 kB a grid, and half of what is stored. What version 1 stored is read, and is stored as version 2 with the next day; a module of before takes version 2 for garbage, says so, and begins anew. A forecaster reads its loads from the grid (<code>Slots</code>) and bridges short gaps as it reads; before, it had a copy of 36 kB.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0046-the-coarse-grid-has-no-maxima-and-forecasters-no-loads.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0046TheCoarseGridHasNoMaximaAndForecastersNoLoads = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0046TheCoarseGridHasNoMaximaAndForecastersNoLoads as default
};
