import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0130. The simulation decides by its own renewals whether a sync held the Lease","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0130-the-simulation-decides-by-its-own-renewals-whether-a-sync.md","filePath":"docs/explanation/adr/0130-the-simulation-decides-by-its-own-renewals-whether-a-sync.md"}');
const _sfc_main = { name: "docs/explanation/adr/0130-the-simulation-decides-by-its-own-renewals-whether-a-sync.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0130-the-simulation-decides-by-its-own-renewals-whether-a-sync-held-the-lease" tabindex="-1">0130. The simulation decides by its own renewals whether a sync held the Lease <a class="header-anchor" href="#0130-the-simulation-decides-by-its-own-renewals-whether-a-sync-held-the-lease" aria-label="Permalink to &quot;0130. The simulation decides by its own renewals whether a sync held the Lease&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>What: the episode &quot;api Lease lost&quot; (0.3 of the seeds, a draw of its own name): for 20 to 40 s requests to /leases answer 503, and reads of scales take 9 s more. <code>Truth.led</code> follows the module&#39;s rule: from the delivered answer to a renewal until 9.9 s after the GET that began it. A sync during which its process did not lead is unknown to the reference, until the process stores its state. Faults of the scope Leases are no longer a blur, so a process that keeps its Lease is judged. Why: mustLead may end a sync before or after its memory is kept, and the same process goes on with its memory when nobody else took the Lease. With the end of the episode alone, seed 787 had false alarms. Also found: the state that is stored by a sync that began before a jump of the clock has the times of the clock before (seed 330); a Secret of Prometheus that hangs delays the question by up to 10 s (seed 335); the first sync waits for the list of HPAs, so its time is older than its first request (seed 117); an Event has the time of the start of its sync, so a clock that jumps for 2 s refills its budget although no Event was written in these 2 s (seed 117, a false alarm of <code>bounded</code>, not a bug of the module).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0130-the-simulation-decides-by-its-own-renewals-whether-a-sync.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0130TheSimulationDecidesByItsOwnRenewalsWhetherASync = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0130TheSimulationDecidesByItsOwnRenewalsWhetherASync as default
};
