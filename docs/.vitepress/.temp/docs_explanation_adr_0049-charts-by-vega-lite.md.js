import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0049. Charts by Vega-Lite","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0049-charts-by-vega-lite.md","filePath":"docs/explanation/adr/0049-charts-by-vega-lite.md"}');
const _sfc_main = { name: "docs/explanation/adr/0049-charts-by-vega-lite.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0049-charts-by-vega-lite" tabindex="-1">0049. Charts by Vega-Lite <a class="header-anchor" href="#0049-charts-by-vega-lite" aria-label="Permalink to &quot;0049. Charts by Vega-Lite&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>It renders SVG in Node without a browser or a canvas, and a chart is a plain object. ECharts does too; Observable Plot needs a DOM. vega-lite is at 6.4.1, as 6.5 needs Node 22. Only <code>npm run charts</code> uses it. SVGs have no background, and colours that are readable on white and on black.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0049-charts-by-vega-lite.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0049ChartsByVegaLite = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0049ChartsByVegaLite as default
};
