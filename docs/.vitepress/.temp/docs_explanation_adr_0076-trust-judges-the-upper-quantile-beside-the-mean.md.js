import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0076. Trust judges the upper quantile beside the mean","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0076-trust-judges-the-upper-quantile-beside-the-mean.md","filePath":"docs/explanation/adr/0076-trust-judges-the-upper-quantile-beside-the-mean.md"}');
const _sfc_main = { name: "docs/explanation/adr/0076-trust-judges-the-upper-quantile-beside-the-mean.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0076-trust-judges-the-upper-quantile-beside-the-mean" tabindex="-1">0076. Trust judges the upper quantile beside the mean <a class="header-anchor" href="#0076-trust-judges-the-upper-quantile-beside-the-mean" aria-label="Permalink to &quot;0076. Trust judges the upper quantile beside the mean&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>What acts is max(HPA, upper quantile), so what acts is judged: upper skill = 1 − pinball loss of max(last value, upper quantile) / that without the forecast, over the last day, at the last step of the horizon. Without the forecast is the better of the last value alone, which is HPA, and the last value with a conformal quantile of the same machinery (<code>Interval</code>, the recent quantile). Trust takes the worse of skill and upper skill, with the thresholds (± 2 %) and the hour that were there.</p><ul><li>The bound on cost needs no number of its own. The pinball loss at q weighs load that is not served against replicas that serve nothing as q : 1 − q, so an upper skill below 0 against the last value alone says that the replicas cost more than the unserved load that they remove. The interval of the last value alone would not do: garbage widens both.</li><li>max with the last value, because an upper quantile below it does not act; a forecast gets no credit for falls.</li><li>Measured on the eight recorded loads (the last 1,200 of up to 4,032 slots, horizon 3, q 90): trusted time is the same by both rules on all eight (1.00; taxis 0.84). The least upper skill of a slot was 2 % (load balancer) and 3 % (tweets), else 13 to 46 %. With three slots in a row at 2,500,000, which no doubt catches, trusted time by the mean alone / by both: 0.71 / 0.28, 0.50 / 0.27, 0.99 / 0.53, 0.49 / 0.27, 0.76 / 0.53, 1.00 / 0.26 (NASA, whose skill did not fall), 0.56 / 0.56, 0.53 / 0.29.</li><li>max_extra_percent is not part of it: it is no setting of the forecaster, and without it the rule is stricter.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0076-trust-judges-the-upper-quantile-beside-the-mean.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0076TrustJudgesTheUpperQuantileBesideTheMean = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0076TrustJudgesTheUpperQuantileBesideTheMean as default
};
