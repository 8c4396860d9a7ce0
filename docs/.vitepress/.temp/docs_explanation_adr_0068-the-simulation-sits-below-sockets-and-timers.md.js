import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0068. The simulation sits below sockets and timers","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0068-the-simulation-sits-below-sockets-and-timers.md","filePath":"docs/explanation/adr/0068-the-simulation-sits-below-sockets-and-timers.md"}');
const _sfc_main = { name: "docs/explanation/adr/0068-the-simulation-sits-below-sockets-and-timers.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0068-the-simulation-sits-below-sockets-and-timers" tabindex="-1">0068. The simulation sits below sockets and timers <a class="header-anchor" href="#0068-the-simulation-sits-below-sockets-and-timers" aria-label="Permalink to &quot;0068. The simulation sits below sockets and timers&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>test/simulation</code> hooks <code>tls.connect</code>, <code>net.connect</code> and the timers, evaluates the bundle of <code>pepr.ts</code> afresh for each process, and hashes what it writes. A refactoring that moves files or awaits changes no hash; a read more or less before a write does. Latency depends on method, path and virtual minute, not on the order of requests. Found by hand-made mutants of the code of 2026-11-23, each tried on some of the runs (no command repeats it): <code>&gt;</code> for <code>&gt;=</code> in decide, a claim that is not released, a missing <code>mustLead</code>, a window longer by a second, two fields of the state swapped, a retry after 6 s instead of 5, a renew deadline of 11 s. Not found, because it has no effect: a longer window inside <code>stabilize</code> alone. 139 runs take about 100 s of CPU time.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0068-the-simulation-sits-below-sockets-and-timers.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0068TheSimulationSitsBelowSocketsAndTimers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0068TheSimulationSitsBelowSocketsAndTimers as default
};
