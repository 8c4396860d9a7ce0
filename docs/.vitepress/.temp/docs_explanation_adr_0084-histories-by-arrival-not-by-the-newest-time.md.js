import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0084. Histories by arrival, not by the newest time","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0084-histories-by-arrival-not-by-the-newest-time.md","filePath":"docs/explanation/adr/0084-histories-by-arrival-not-by-the-newest-time.md"}');
const _sfc_main = { name: "docs/explanation/adr/0084-histories-by-arrival-not-by-the-newest-time.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0084-histories-by-arrival-not-by-the-newest-time" tabindex="-1">0084. Histories by arrival, not by the newest time <a class="header-anchor" href="#0084-histories-by-arrival-not-by-the-newest-time" aria-label="Permalink to &quot;0084. Histories by arrival, not by the newest time&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A jump ahead and a clock that is put back cannot be told from an outage or a correction at the moment they happen. So nothing is thrown away because of a time: the fine series keeps runs in the order of arrival, and the oldest arrivals leave when <code>capacity</code> is full; fits use the newest run and, for slots up to its newest, the runs before it. 25 s back at a period of 5 s: 20,000 samples stay 20,000 (before: 1), and the fit goes on over 19,900 of them. The coarse grid is the four weeks before the clock&#39;s time; slots of other times are set aside for a day without a jump (288 closed slots), stored with the days, and fill the grid when the clock returns. Of two means of a slot the first counts, so that one wrong sync changes nothing. The slot in which the clock jumps may be a gap. Rejected: a second grid that has to be confirmed for a day before forecasts use it (no forecast for a day after a VM was suspended), and a map of slots (400 kB a grid after a jump of all clocks; stretches of floats take 32 to 64 kB).</p><p>Times of recommendations and scale events move with the clock: the difference of time of day and monotonic clock is compared at each sync, and a jump above 2 s moves them. So windows last what they last, and no event of the future blocks anything later. Across a restart only the time of day is known: entries of the future are dropped, and the current count counts as recommended, as after an outage.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0084-histories-by-arrival-not-by-the-newest-time.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0084HistoriesByArrivalNotByTheNewestTime = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0084HistoriesByArrivalNotByTheNewestTime as default
};
