import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0003. The first sample of a slot stays","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0003-the-first-sample-of-a-slot-stays.md","filePath":"docs/explanation/adr/0003-the-first-sample-of-a-slot-stays.md"}');
const _sfc_main = { name: "docs/explanation/adr/0003-the-first-sample-of-a-slot-stays.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0003-the-first-sample-of-a-slot-stays" tabindex="-1">0003. The first sample of a slot stays <a class="header-anchor" href="#0003-the-first-sample-of-a-slot-stays" aria-label="Permalink to &quot;0003. The first sample of a slot stays&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A sync that something woke (an edit by hand, a spec change), and the syncs every 10 s while learning, would move the sample of their slot to another moment, and a line through unevenly spaced samples has the wrong slope. So the first sample, taken at the object&#39;s own place in the period, stays; a retry fills a slot that has none.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0003-the-first-sample-of-a-slot-stays.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0003TheFirstSampleOfASlotStays = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0003TheFirstSampleOfASlotStays as default
};
