import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0067. A metric source is one descriptor","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0067-a-metric-source-is-one-descriptor.md","filePath":"docs/explanation/adr/0067-a-metric-source-is-one-descriptor.md"}');
const _sfc_main = { name: "docs/explanation/adr/0067-a-metric-source-is-one-descriptor.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0067-a-metric-source-is-one-descriptor" tabindex="-1">0067. A metric source is one descriptor <a class="header-anchor" href="#0067-a-metric-source-is-one-descriptor" aria-label="Permalink to &quot;0067. A metric source is one descriptor&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Schema, rules, names, HPA&#39;s rule, total and past values of a source stand in one file of <code>metrics/sources/</code>, which reaches no I/O: <code>read</code> gets the APIs as an argument. So the CRD, admission, the controller, the CLI and the pure <code>scaling/</code> share it. HPA&#39;s rule is data (<code>HpaRule</code>), because <code>scaling/</code>, which computes it, comes after <code>metrics/</code>. The CRD is the same byte for byte.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0067-a-metric-source-is-one-descriptor.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0067AMetricSourceIsOneDescriptor = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0067AMetricSourceIsOneDescriptor as default
};
