import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0037. What Prometheus has is read once, and kept as any other load","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0037-what-prometheus-has-is-read-once-and-kept-as-any-other-load.md","filePath":"docs/explanation/adr/0037-what-prometheus-has-is-read-once-and-kept-as-any-other-load.md"}');
const _sfc_main = { name: "docs/explanation/adr/0037-what-prometheus-has-is-read-once-and-kept-as-any-other-load.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0037-what-prometheus-has-is-read-once-and-kept-as-any-other-load" tabindex="-1">0037. What Prometheus has is read once, and kept as any other load <a class="header-anchor" href="#0037-what-prometheus-has-is-read-once-and-kept-as-any-other-load" aria-label="Permalink to &quot;0037. What Prometheus has is read once, and kept as any other load&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The design leaves it open to keep no ConfigMaps for loads that Prometheus has. They are kept: its retention may be shorter than four weeks, it may be away when the module starts, and 1,000 MLScalers would ask for 4,000 weeks after each restart, one after the other. So after a restart only what came in between is asked for.</p><p>Backfill has a value a minute, each standing for its minute, as a sync&#39;s value stands until the next: the means of slots come out as if they had been observed. A week of them is 10,080 points, under the 11,000 that Prometheus gives in one answer. They go into the grid at a sync and at once, not week by week, because each change of older slots has the history replayed. There is no fine grid to fill: only the short form has one, and it names no queries. Of many series in a range only those times are left out at which there was more than one: a series that a rollout replaced is no fault.</p><p><code>partial_response=false</code> goes with each question, for Thanos, whose default leaves out what it cannot reach; a sum without a part of its series would scale down. The others do not know it and take no notice.</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>Measured once, by hand, on 2026-11-22 (no command repeats it), against a Prometheus on the same two cores with 30 other processes busy: four weeks of a sum over 1, 30 and 30 series with <code>rate()</code> were read in 1.3, 2.1 and 3.1 s, and replayed 0.9 to 3.8 s later. An answer of a week takes 7 ms to read, four weeks 5 ms to fill in. A Prometheus that was allowed too few samples for a week (<code>--query.max-samples</code>) gave it in shorter pieces in 1.3 s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0037-what-prometheus-has-is-read-once-and-kept-as-any-other-load.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0037WhatPrometheusHasIsReadOnceAndKeptAsAnyOtherLoad = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0037WhatPrometheusHasIsReadOnceAndKeptAsAnyOtherLoad as default
};
