import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0104. The reference controller judges every seed","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0104-the-reference-controller-judges-every-seed.md","filePath":"docs/explanation/adr/0104-the-reference-controller-judges-every-seed.md"}');
const _sfc_main = { name: "docs/explanation/adr/0104-the-reference-controller-judges-every-seed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0104-the-reference-controller-judges-every-seed" tabindex="-1">0104. The reference controller judges every seed <a class="header-anchor" href="#0104-the-reference-controller-judges-every-seed" aria-label="Permalink to &quot;0104. The reference controller judges every seed&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Its alarms on the unmutated module (seed 26, and nine of the fifteen seeds from 3000 on) were its own, and there were seven causes: it forgot answers after 20 s, but judges a sync without a write a period later; it kept what a stored state held up after a sync had used it; it took the sixth conflict in a row for one that is tried again; it compared sums over pods to the last digit; it read a state before it judged the sync before the read; it dated a stored state by its answer, not by its sync; and it took the failed syncs that it had not seen for none. Then three checks that had been made weaker were put back: all recommendations are compared, a state that is stored too often is noticed, and a jump of a clock blinds nothing. About 120 seeds were run meanwhile. The last version was green on all that were run with it, the known ones and those with alarms among them.</p><p>It costs a quarter to a third of the simulation&#39;s speed (120 to 150 syncs a second of CPU instead of 165, on a machine at load 10).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0104-the-reference-controller-judges-every-seed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0104TheReferenceControllerJudgesEverySeed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0104TheReferenceControllerJudgesEverySeed as default
};
