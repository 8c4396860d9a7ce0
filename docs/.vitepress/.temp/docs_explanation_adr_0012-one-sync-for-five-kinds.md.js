import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0012. One sync for five kinds","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0012-one-sync-for-five-kinds.md","filePath":"docs/explanation/adr/0012-one-sync-for-five-kinds.md"}');
const _sfc_main = { name: "docs/explanation/adr/0012-one-sync-for-five-kinds.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0012-one-sync-for-five-kinds" tabindex="-1">0012. One sync for five kinds <a class="header-anchor" href="#0012-one-sync-for-five-kinds" aria-label="Permalink to &quot;0012. One sync for five kinds&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>operator/reconciler.ts</code> reads the object, lets go of what is being deleted, refuses what is invalid, and writes the status, for all five; a capability says what is done in between. The status is written by server-side apply under a manager of each kind&#39;s own, as a whole: a field that is no longer said goes away by itself.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0012-one-sync-for-five-kinds.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0012OneSyncForFiveKinds = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0012OneSyncForFiveKinds as default
};
