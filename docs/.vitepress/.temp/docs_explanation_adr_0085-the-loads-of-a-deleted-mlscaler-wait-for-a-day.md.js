import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0085. The loads of a deleted MLScaler wait for a day","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0085-the-loads-of-a-deleted-mlscaler-wait-for-a-day.md","filePath":"docs/explanation/adr/0085-the-loads-of-a-deleted-mlscaler-wait-for-a-day.md"}');
const _sfc_main = { name: "docs/explanation/adr/0085-the-loads-of-a-deleted-mlscaler-wait-for-a-day.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0085-the-loads-of-a-deleted-mlscaler-wait-for-a-day" tabindex="-1">0085. The loads of a deleted MLScaler wait for a day <a class="header-anchor" href="#0085-the-loads-of-a-deleted-mlscaler-wait-for-a-day" aria-label="Permalink to &quot;0085. The loads of a deleted MLScaler wait for a day&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The finalizer marks its ConfigMaps (<code>unowned-since</code>), the hourly sweep removes them when two sweeps in a row find them older than 24 h (the clock of one may be wrong), so 24 to 26 h later. An MLScaler without a state looks by label (a hash of namespace, name and target) for one to adopt: one LIST, once. The same namespace and name under another uid proves that the old one is gone, so no mark is needed for adoption. It takes the loads, not the decisions: <code>on_delete: Min</code> has just put the target down, and recommendations of before would raise it again. The days are written under the new name before the state, and the old ConfigMaps removed after, so that a death in between loses nothing. Namespaces that are deleted follow the same rule; what another tenant could learn from a namespace of the same name within a day is how a load of the same workload name moved. Most bytes: 310 kB an MLScaler in the short form with <code>history_size</code> 20160, 750 kB with 16 metrics (20163 doubles in base64 are 215 kB; a day of 288 floats 1.5 kB).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0085-the-loads-of-a-deleted-mlscaler-wait-for-a-day.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0085TheLoadsOfADeletedMlscalerWaitForADay = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0085TheLoadsOfADeletedMlscalerWaitForADay as default
};
