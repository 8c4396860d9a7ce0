import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0048. A refit is the work of a slot, in pieces","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0048-a-refit-is-the-work-of-a-slot-in-pieces.md","filePath":"docs/explanation/adr/0048-a-refit-is-the-work-of-a-slot-in-pieces.md"}');
const _sfc_main = { name: "docs/explanation/adr/0048-a-refit-is-the-work-of-a-slot-in-pieces.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0048-a-refit-is-the-work-of-a-slot-in-pieces" tabindex="-1">0048. A refit is the work of a slot, in pieces <a class="header-anchor" href="#0048-a-refit-is-the-work-of-a-slot-in-pieces" aria-label="Permalink to &quot;0048. A refit is the work of a slot, in pieces&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Regression and trees are generators that yield every millisecond or two of work (512 rows, 3 trees, 3 features into bins), never by the clock. One piece is done a turn of the event loop, of one forecaster after the other. What a slot leaves to do is done before the next slot is learnt from, at once if it must, so that no forecast that is scored depends on when the pieces were done; forecasts made meanwhile are of the fit before. Of what came while nobody looked, up to three slots are taken in at once and up to six hours in turns; more is replayed anew.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0048-a-refit-is-the-work-of-a-slot-in-pieces.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0048ARefitIsTheWorkOfASlotInPieces = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0048ARefitIsTheWorkOfASlotInPieces as default
};
