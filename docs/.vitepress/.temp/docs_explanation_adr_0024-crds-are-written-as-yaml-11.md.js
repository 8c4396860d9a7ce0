import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0024. CRDs are written as YAML 1.1","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0024-crds-are-written-as-yaml-11.md","filePath":"docs/explanation/adr/0024-crds-are-written-as-yaml-11.md"}');
const _sfc_main = { name: "docs/explanation/adr/0024-crds-are-written-as-yaml-11.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0024-crds-are-written-as-yaml-11" tabindex="-1">0024. CRDs are written as YAML 1.1 <a class="header-anchor" href="#0024-crds-are-written-as-yaml-11" aria-label="Permalink to &quot;0024. CRDs are written as YAML 1.1&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>kubectl takes an unquoted <code>off</code> for false: in the enum of <code>forecast.model</code> too, which then allowed &quot;false&quot; and refused &quot;off&quot;.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0024-crds-are-written-as-yaml-11.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0024CrdsAreWrittenAsYaml11 = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0024CrdsAreWrittenAsYaml11 as default
};
