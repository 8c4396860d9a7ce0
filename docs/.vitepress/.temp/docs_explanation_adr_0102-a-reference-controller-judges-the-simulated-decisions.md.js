import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0102. A reference controller judges the simulated decisions","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0102-a-reference-controller-judges-the-simulated-decisions.md","filePath":"docs/explanation/adr/0102-a-reference-controller-judges-the-simulated-decisions.md"}');
const _sfc_main = { name: "docs/explanation/adr/0102-a-reference-controller-judges-the-simulated-decisions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0102-a-reference-controller-judges-the-simulated-decisions" tabindex="-1">0102. A reference controller judges the simulated decisions <a class="header-anchor" href="#0102-a-reference-controller-judges-the-simulated-decisions" aria-label="Permalink to &quot;0102. A reference controller judges the simulated decisions&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The invariants knew bounds of a count only, so bugs in windows, policies, modes and stored states went unnoticed. Now <code>test/simulation/seeds/reference/</code> follows each sync by the module&#39;s pure functions, from the answers that reached the process. It follows all ways in which a sync can have gone (cached answers, pods that changed meanwhile, late clocks), and keeps those that agree with what was written. A violation is a write, or its absence, that no way explains, and a stored state that no followed memory has. It is no second run of the module: scheduling, watches, caches, the Lease and the store are not in it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0102-a-reference-controller-judges-the-simulated-decisions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0102AReferenceControllerJudgesTheSimulatedDecisions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0102AReferenceControllerJudgesTheSimulatedDecisions as default
};
