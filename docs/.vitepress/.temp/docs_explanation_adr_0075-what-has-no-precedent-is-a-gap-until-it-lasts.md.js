import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0075. What has no precedent is a gap until it lasts","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0075-what-has-no-precedent-is-a-gap-until-it-lasts.md","filePath":"docs/explanation/adr/0075-what-has-no-precedent-is-a-gap-until-it-lasts.md"}');
const _sfc_main = { name: "docs/explanation/adr/0075-what-has-no-precedent-is-a-gap-until-it-lasts.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0075-what-has-no-precedent-is-a-gap-until-it-lasts" tabindex="-1">0075. What has no precedent is a gap until it lasts <a class="header-anchor" href="#0075-what-has-no-precedent-is-a-gap-until-it-lasts" aria-label="Permalink to &quot;0075. What has no precedent is a gap until it lasts&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>One slot at 50,000 × the load widened the upper quantile for nine hours, and skill rose, because the last value loses more by it. Now <code>forecast/precedents.ts</code> doubts a load whose jump from the last believed one is above 1.25 × the third largest jump of 28 days (and above 5 % of it; times the slots that are missing in between). A doubted slot is a gap to models, movement, intervals and scores; the third in a row is believed with those before. The grid keeps raw values, so a replay comes to the same verdicts, and what-if and simulate run the same code.</p><ul><li>The third largest, not the largest: one or two garbage values of the first day, when nothing is doubted yet, set no precedent. Each row of doubted slots counts once, so a daily burst is believed from its fourth time on.</li><li>A gap, not a clipped value: a clipped value still moves lags, levels and movement by the bound. Clipping was not measured in the bench.</li><li>Doubted slots on the eight recorded loads, by the factor: 1 × 7 to 31 a trace, 1.25 × 1 to 8, 1.5 × 1 to 5, 2 × 0 to 2. Of 1.25 × 0 to 6 are in the judged 30 %.</li><li>A garbage slot (0, 1e300, any value) in a shop-like load (400 ± 100, noise 20): the upper quantile ten minutes later is off by at most 0.5 % (before: 3.9 % for a single 0; a running slot of 1e300 was forecast as 7e28). On recorded loads absurd values (0, ≥ 10 ×) moved it by at most 3.5 %. A value that the load itself reaches by jumps (5 × on the tweets) cannot be told from load, and moves it by 20 to 40 % (measured at a factor of 2).</li><li>A lasting change (× 0.4, × 2, × 100) is forecast within 15 % after 35, 20 and 20 minutes; before after 20, 15 and 10.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0075-what-has-no-precedent-is-a-gap-until-it-lasts.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0075WhatHasNoPrecedentIsAGapUntilItLasts = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0075WhatHasNoPrecedentIsAGapUntilItLasts as default
};
