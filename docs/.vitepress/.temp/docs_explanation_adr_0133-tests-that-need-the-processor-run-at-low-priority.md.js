import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0133. Tests that need the processor run at low priority","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0133-tests-that-need-the-processor-run-at-low-priority.md","filePath":"docs/explanation/adr/0133-tests-that-need-the-processor-run-at-low-priority.md"}');
const _sfc_main = { name: "docs/explanation/adr/0133-tests-that-need-the-processor-run-at-low-priority.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0133-tests-that-need-the-processor-run-at-low-priority" tabindex="-1">0133. Tests that need the processor run at low priority <a class="header-anchor" href="#0133-tests-that-need-the-processor-run-at-low-priority" aria-label="Permalink to &quot;0133. Tests that need the processor run at low priority&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Lint and the simulation run beside the end-to-end tests. On a busy machine the module&#39;s processes did not become ready before their liveness probes failed. The sandbox restarted them with longer and longer back-offs, and tests of rollouts and restarts failed.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Lint and the simulation run at the lowest priority, and leave the processor to the end-to-end tests. A liveness probe of the sandbox begins when the container has been ready once, at the latest after 180 s. A kubelet guarantees the CPU that a container requests; the sandbox cannot. The tests on a real node keep the probes as they are. <code>kubectl</code> waits for 180 s, and a condition of a test for 120 s. The API servers of tests collect garbage less often (<code>GOGC=400</code>), and a load writes only pods whose use changes.</p><p>Four files run at a time. Six, so that lint and the simulation take no place of end-to-end tests, were tried and not taken.</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>On 2 cores, from a clean clone, with other work beside it.</p><table tabindex="0"><thead><tr><th></th><th>passed</th><th>time</th><th>load average</th></tr></thead><tbody><tr><td>before, four files at a time</td><td>3938 of 3944</td><td>38 min</td><td>not noted</td></tr><tr><td>at low priority, four files</td><td>3947 of 3947</td><td>43 min 33 s, 65 min of processor time</td><td>10 to 18</td></tr><tr><td>at low priority, six files</td><td>two files failed: the webhook was not asked within 3 s</td><td>stopped</td><td>20 to 30</td></tr><tr><td>with all of the decision, four files</td><td>3950 of 3950</td><td>32 min 45 s, 56 min of processor time</td><td>10 to 14</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0133-tests-that-need-the-processor-run-at-low-priority.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0133TestsThatNeedTheProcessorRunAtLowPriority = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0133TestsThatNeedTheProcessorRunAtLowPriority as default
};
