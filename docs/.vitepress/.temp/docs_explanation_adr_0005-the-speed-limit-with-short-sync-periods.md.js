import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0005. The speed limit with short sync periods","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0005-the-speed-limit-with-short-sync-periods.md","filePath":"docs/explanation/adr/0005-the-speed-limit-with-short-sync-periods.md"}');
const _sfc_main = { name: "docs/explanation/adr/0005-the-speed-limit-with-short-sync-periods.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0005-the-speed-limit-with-short-sync-periods" tabindex="-1">0005. The speed limit with short sync periods <a class="header-anchor" href="#0005-the-speed-limit-with-short-sync-periods" aria-label="Permalink to &quot;0005. The speed limit with short sync periods&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>HPA&#39;s max(2 × current, 4) is meant for its period of 15 s. A longer period applies it once for each 15 s that went by; a shorter one counts from the replicas of 15 s ago. So no period grows faster than HPA.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0005-the-speed-limit-with-short-sync-periods.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0005TheSpeedLimitWithShortSyncPeriods = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0005TheSpeedLimitWithShortSyncPeriods as default
};
