import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0016. Events of children wake their owner within 100 ms, together","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0016-events-of-children-wake-their-owner-within-100-ms-together.md","filePath":"docs/explanation/adr/0016-events-of-children-wake-their-owner-within-100-ms-together.md"}');
const _sfc_main = { name: "docs/explanation/adr/0016-events-of-children-wake-their-owner-within-100-ms-together.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0016-events-of-children-wake-their-owner-within-100-ms-together" tabindex="-1">0016. Events of children wake their owner within 100 ms, together <a class="header-anchor" href="#0016-events-of-children-wake-their-owner-within-100-ms-together" aria-label="Permalink to &quot;0016. Events of children wake their owner within 100 ms, together&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Each pod of an Echo tells three times in its first second that it is new, scheduled and Ready. Woken by each, 200 Echoes that are created together took the places of those that had no pods yet.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0016-events-of-children-wake-their-owner-within-100-ms-together.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0016EventsOfChildrenWakeTheirOwnerWithin100MsTogether = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0016EventsOfChildrenWakeTheirOwnerWithin100MsTogether as default
};
