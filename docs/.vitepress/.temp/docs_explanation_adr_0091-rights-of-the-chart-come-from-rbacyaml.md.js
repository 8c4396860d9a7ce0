import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0091. Rights of the chart come from rbac.yaml","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0091-rights-of-the-chart-come-from-rbacyaml.md","filePath":"docs/explanation/adr/0091-rights-of-the-chart-come-from-rbacyaml.md"}');
const _sfc_main = { name: "docs/explanation/adr/0091-rights-of-the-chart-come-from-rbacyaml.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0091-rights-of-the-chart-come-from-rbacyaml" tabindex="-1">0091. Rights of the chart come from rbac.yaml <a class="header-anchor" href="#0091-rights-of-the-chart-come-from-rbacyaml" aria-label="Permalink to &quot;0091. Rights of the chart come from rbac.yaml&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>capabilities/*/rbac.yaml</code> stay the one source. <code>npm run build</code> splits them for the chart (<code>charts/mlscaler/generated/</code>): <em>everywhere</em> (reading kinds of the module, which Pepr watches in the whole cluster, and the webhook configuration), <em>watched</em> (all else; Roles with <code>watch.namespaces</code>) and <em>own</em> (the namespace of the module). The annotation <code>mlscaler.example.com/processes</code> says who gets a role: <code>watcher</code> (the default), <code>admission</code>, both, or <code>pepr</code> for what only Pepr&#39;s image needs. What admission pods read stands in <code>capabilities/mlscaler/admission/rbac.yaml</code>. A test holds that it is only get, list and watch, and never more than the watcher&#39;s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0091-rights-of-the-chart-come-from-rbacyaml.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0091RightsOfTheChartComeFromRbacyaml = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0091RightsOfTheChartComeFromRbacyaml as default
};
