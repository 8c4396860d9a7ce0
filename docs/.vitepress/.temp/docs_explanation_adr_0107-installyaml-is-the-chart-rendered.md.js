import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0107. install.yaml is the chart, rendered","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0107-installyaml-is-the-chart-rendered.md","filePath":"docs/explanation/adr/0107-installyaml-is-the-chart-rendered.md"}');
const _sfc_main = { name: "docs/explanation/adr/0107-installyaml-is-the-chart-rendered.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0107-installyaml-is-the-chart-rendered" tabindex="-1">0107. install.yaml is the chart, rendered <a class="header-anchor" href="#0107-installyaml-is-the-chart-rendered" aria-label="Permalink to &quot;0107. install.yaml is the chart, rendered&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>It is <code>helm template</code> of the chart package with the namespace <code>mlscaler-system</code> before it, without Helm&#39;s labels, and with the CRDs not kept, since <code>kubectl delete -f</code> deletes them anyway. With a name that has a registry or a path it has the image by its digest. The chart keeps the tag, so that <code>image.tag</code> goes on to work.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0107-installyaml-is-the-chart-rendered.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0107InstallyamlIsTheChartRendered = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0107InstallyamlIsTheChartRendered as default
};
