import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0038. The coarse grid is a ConfigMap a load, and its newest day is in the state","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0038-the-coarse-grid-is-a-configmap-a-load-and-its-newest-day.md","filePath":"docs/explanation/adr/0038-the-coarse-grid-is-a-configmap-a-load-and-its-newest-day.md"}');
const _sfc_main = { name: "docs/explanation/adr/0038-the-coarse-grid-is-a-configmap-a-load-and-its-newest-day.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0038-the-coarse-grid-is-a-configmap-a-load-and-its-newest-day-is-in-the-state" tabindex="-1">0038. The coarse grid is a ConfigMap a load, and its newest day is in the state <a class="header-anchor" href="#0038-the-coarse-grid-is-a-configmap-a-load-and-its-newest-day-is-in-the-state" aria-label="Permalink to &quot;0038. The coarse grid is a ConfigMap a load, and its newest day is in the state&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A ConfigMap a day would be 29,000 objects for 1,000 MLScalers, and as many reads at start or a list of all of them. So the closed days of a load are the keys of one ConfigMap (<code>mlscaler-history-UID-HASH</code>, <code>binaryData</code>, means as floats), written once a day, each MLScaler&#39;s at its own time. What came since is in the state&#39;s ConfigMap, which is written every five minutes anyway: one request a day more, and SIGTERM flushes both at once. What cannot be read for the moment is never written over, and is read again after five minutes; a day that is garbage is a gap, and the others count. The running slot is not stored: after a restart it counts if half of it was seen since, else it is a gap.</p><p>The running slot, where it is forecast from, is taken for what is known of it and the slot before for the rest of its time, not for the mean so far: of a trace of minutes the next slot was missed by 10.96, 10.59 and 10.15 requests after one, two and four minutes, by the mean so far by 14.91, 12.78 and 10.85.</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>A slot takes 4 bytes: 1,000 full grids 32.2 MB (of the 150 that they may take; <code>coarse-grid.test.ts</code> holds them to it), a ConfigMap of four weeks 45 kB, written once a day, and of that day the state&#39;s ConfigMap 1.6 kB at most.</p><p>Counted on 2026-11-21 by hand (no command repeats it), against an API server in memory: a state is written 12 times an hour with steady load, and 61 times with load that moves by 30 %. Reading four weeks takes 4 ms.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0038-the-coarse-grid-is-a-configmap-a-load-and-its-newest-day.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0038TheCoarseGridIsAConfigmapALoadAndItsNewestDay = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0038TheCoarseGridIsAConfigmapALoadAndItsNewestDay as default
};
