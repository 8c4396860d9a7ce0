import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0092. Admission pods of the chart do not try a target's ceiling","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0092-admission-pods-of-the-chart-do-not-try-a-targets-ceiling.md","filePath":"docs/explanation/adr/0092-admission-pods-of-the-chart-do-not-try-a-targets-ceiling.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0092-admission-pods-of-the-chart-do-not-try-a-targets-ceiling.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0092-admission-pods-of-the-chart-do-not-try-a-targets-ceiling" tabindex="-1">0092. Admission pods of the chart do not try a target&#39;s ceiling <a class="header-anchor" href="#0092-admission-pods-of-the-chart-do-not-try-a-targets-ceiling" aria-label="Permalink to &quot;0092. Admission pods of the chart do not try a target&#39;s ceiling&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A dry run of a write to a scale needs the right to write, and RBAC cannot give the one without the other. Admission pods may only read, so a 403 of that dry run is no warning. The condition AbleToScale tells it at the first sync that meets it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0092-admission-pods-of-the-chart-do-not-try-a-targets-ceiling.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0092AdmissionPodsOfTheChartDoNotTryATargetsCeiling = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0092AdmissionPodsOfTheChartDoNotTryATargetsCeiling as default
};
