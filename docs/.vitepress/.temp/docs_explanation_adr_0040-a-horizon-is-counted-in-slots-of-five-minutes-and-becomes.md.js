import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0040. A horizon is counted in slots of five minutes, and becomes shorter late","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0040-a-horizon-is-counted-in-slots-of-five-minutes-and-becomes.md","filePath":"docs/explanation/adr/0040-a-horizon-is-counted-in-slots-of-five-minutes-and-becomes.md"}');
const _sfc_main = { name: "docs/explanation/adr/0040-a-horizon-is-counted-in-slots-of-five-minutes-and-becomes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0040-a-horizon-is-counted-in-slots-of-five-minutes-and-becomes-shorter-late" tabindex="-1">0040. A horizon is counted in slots of five minutes, and becomes shorter late <a class="header-anchor" href="#0040-a-horizon-is-counted-in-slots-of-five-minutes-and-becomes-shorter-late" aria-label="Permalink to &quot;0040. A horizon is counted in slots of five minutes, and becomes shorter late&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The forecast is for whole slots, so a horizon of 105 s is the next slot: at most five minutes more than needed, on a rise. Another horizon means to replay history, so one that became shorter by a slot stays.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0040-a-horizon-is-counted-in-slots-of-five-minutes-and-becomes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0040AHorizonIsCountedInSlotsOfFiveMinutesAndBecomes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0040AHorizonIsCountedInSlotsOfFiveMinutesAndBecomes as default
};
