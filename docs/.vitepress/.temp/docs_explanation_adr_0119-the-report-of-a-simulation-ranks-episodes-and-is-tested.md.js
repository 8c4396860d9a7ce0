import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0119. The report of a simulation ranks episodes, and is tested in a browser","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0119-the-report-of-a-simulation-ranks-episodes-and-is-tested.md","filePath":"docs/explanation/adr/0119-the-report-of-a-simulation-ranks-episodes-and-is-tested.md"}');
const _sfc_main = { name: "docs/explanation/adr/0119-the-report-of-a-simulation-ranks-episodes-and-is-tested.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0119-the-report-of-a-simulation-ranks-episodes-and-is-tested-in-a-browser" tabindex="-1">0119. The report of a simulation ranks episodes, and is tested in a browser <a class="header-anchor" href="#0119-the-report-of-a-simulation-ranks-episodes-and-is-tested-in-a-browser" aria-label="Permalink to &quot;0119. The report of a simulation ranks episodes, and is tested in a browser&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An episode is consecutive slots of the trace in each of which the HPA or the MLScaler had too few ready replicas for a time. The larger of the two lost loads ranks it, so that an episode of the MLScaler&#39;s own shows as well. On examples/traces/web.csv the worst one is one that both missed (12 % → 4 % of its load unserved): shown as it is. The moments of too few are those of the syncs (15 s), so their sum is the table&#39;s &quot;under-provisioned&quot; to the second. uPlot stays: it draws the shade in its hooks. Charts have role <code>img</code> with a text, and buttons do all that the mouse does. The trade-off has 5 utilizations × 3 quantiles, 18 replays more: processor time with <code>--html</code> for web.csv 2.7 s before, 6.1 s now (6 × 4: 8.5 s), without <code>--html</code> 2.7 s as before. Trust, and which of the two quantiles applies, are those of the user&#39;s quantile: a test compares with a real run at 97 %, within 2 % of the replicas. <code>--open</code> has its own lines instead of the package <code>open</code>, which finds its files by import.meta.url and so cannot be bundled into one CommonJS file. The tests use playwright-core with Debian&#39;s chromium (no download of a browser) and axe-core (MPL-2.0, for tests only), which found an empty table heading and two landmarks of one name. Without a browser they are skipped, with the reason on standard error; <code>.ci/run</code> installs one.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0119-the-report-of-a-simulation-ranks-episodes-and-is-tested.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0119TheReportOfASimulationRanksEpisodesAndIsTested = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0119TheReportOfASimulationRanksEpisodesAndIsTested as default
};
