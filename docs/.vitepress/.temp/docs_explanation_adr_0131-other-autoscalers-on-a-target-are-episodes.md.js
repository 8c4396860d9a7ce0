import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0131. Other autoscalers on a target are episodes","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0131-other-autoscalers-on-a-target-are-episodes.md","filePath":"docs/explanation/adr/0131-other-autoscalers-on-a-target-are-episodes.md"}');
const _sfc_main = { name: "docs/explanation/adr/0131-other-autoscalers-on-a-target-are-episodes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0131-other-autoscalers-on-a-target-are-episodes" tabindex="-1">0131. Other autoscalers on a target are episodes <a class="header-anchor" href="#0131-other-autoscalers-on-a-target-are-episodes" aria-label="Permalink to &quot;0131. Other autoscalers on a target are episodes&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>What: &quot;second MLScaler&quot;, &quot;second MLScaler stays&quot; (the first is deleted with on_delete Min after 20 s, and created again) and &quot;HPA&quot; (half of them before the watchers, lists of HPAs take 8 s), 0.2 of the seeds each, draws of their own names. The invariant <code>one-autoscaler.ts</code> judges them. All end with the faults, so that the quiet phase is as before. Why: six hand-made bugs could not be seen. They die within 38 to 1,148 syncs of the seeds 117 and 312.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0131-other-autoscalers-on-a-target-are-episodes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0131OtherAutoscalersOnATargetAreEpisodes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0131OtherAutoscalersOnATargetAreEpisodes as default
};
