import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0053. The backtest at admission is the simulation of the CLI, sync by sync","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0053-the-backtest-at-admission-is-the-simulation-of-the-cli-sync.md","filePath":"docs/explanation/adr/0053-the-backtest-at-admission-is-the-simulation-of-the-cli-sync.md"}');
const _sfc_main = { name: "docs/explanation/adr/0053-the-backtest-at-admission-is-the-simulation-of-the-cli-sync.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0053-the-backtest-at-admission-is-the-simulation-of-the-cli-sync-by-sync" tabindex="-1">0053. The backtest at admission is the simulation of the CLI, sync by sync <a class="header-anchor" href="#0053-the-backtest-at-admission-is-the-simulation-of-the-cli-sync-by-sync" aria-label="Permalink to &quot;0053. The backtest at admission is the simulation of the CLI, sync by sync&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>backtest/</code> holds what <code>mlscaler simulate</code> replays, so that one engine tells both. <code>simulate</code> shows a load to all policies when its slot is over. With slots of five minutes an HPA would be up to five minutes late in it, and a forecast would look the better for it. So at admission the loads of syncs lie on lines between the means, an HPA sees them as they are, and the forecast has two looks a slot: when it begins, and when half of it is over. Several loads are counted in the replicas that are to carry each: the highest decides, as it does in HPA&#39;s rule.</p><p>A backtest takes about 0.5 s of CPU with four weeks of history (14 to 28 days, <code>model: auto</code>). It gives way after 5 ms, and rests for 10 ms where others have asked within 100 ms: while admission is busy it took 33 to 42 % of a core (<a href="./../footprint-of-admission.html">footprint</a>). One that has little time under a burst is not given up with the answer that waited for it: it keeps others from beginning, so that of a burst one answer is late and not many. A rest only after slices in which somebody had asked took more CPU at 180 requests a second (122 % of a core for two pods instead of 99), and its p99 at 500 a second was lower (12 to 15 ms instead of 18 to 20): one run of each.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0053-the-backtest-at-admission-is-the-simulation-of-the-cli-sync.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0053TheBacktestAtAdmissionIsTheSimulationOfTheCliSync = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0053TheBacktestAtAdmissionIsTheSimulationOfTheCliSync as default
};
