import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0065. A conflict on the scale ends the sync","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0065-a-conflict-on-the-scale-ends-the-sync.md","filePath":"docs/explanation/adr/0065-a-conflict-on-the-scale-ends-the-sync.md"}');
const _sfc_main = { name: "docs/explanation/adr/0065-a-conflict-on-the-scale-ends-the-sync.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0065-a-conflict-on-the-scale-ends-the-sync" tabindex="-1">0065. A conflict on the scale ends the sync <a class="header-anchor" href="#0065-a-conflict-on-the-scale-ends-the-sync" aria-label="Permalink to &quot;0065. A conflict on the scale ends the sync&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A 409 used to start the decision again within the sync, three times, from closures over what the sync had read. Now the sync ends without a status, and the object is synced again at once, five times in a row at most. The sixth conflict is a refusal: <code>AbleToScale=False FailedUpdateScale</code>, an Event, and a retry with back-off. The next sync reads the scale again, and the metrics where no shared answer is left. Of the 139 runs of the simulation, the four with a conflict on the scale changed, and no other (2026-11-23; <code>npm run simulation</code> compares with the recorded hashes).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0065-a-conflict-on-the-scale-ends-the-sync.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0065AConflictOnTheScaleEndsTheSync = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0065AConflictOnTheScaleEndsTheSync as default
};
