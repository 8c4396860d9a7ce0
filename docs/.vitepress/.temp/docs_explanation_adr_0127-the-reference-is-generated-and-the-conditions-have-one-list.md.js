import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0127. The reference is generated, and the conditions have one list","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0127-the-reference-is-generated-and-the-conditions-have-one-list.md","filePath":"docs/explanation/adr/0127-the-reference-is-generated-and-the-conditions-have-one-list.md"}');
const _sfc_main = { name: "docs/explanation/adr/0127-the-reference-is-generated-and-the-conditions-have-one-list.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0127-the-reference-is-generated-and-the-conditions-have-one-list" tabindex="-1">0127. The reference is generated, and the conditions have one list <a class="header-anchor" href="#0127-the-reference-is-generated-and-the-conditions-have-one-list" aria-label="Permalink to &quot;0127. The reference is generated, and the conditions have one list&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>docs/reference/{mlscaler,mlscaler-metrics,status,conditions,metrics,cli,chart}.md</code> come from the CRD, the rules, <code>capabilities/mlscaler/conditions.ts</code>, the Prometheus registries, commander&#39;s definitions and the chart&#39;s schema. <code>npm run build</code> writes them, and a unit test fails when one is stale. <code>status.ts</code> takes the types of conditions and reasons from <code>conditions.ts</code> (<code>import type</code>, so the texts are not in the bundle: 252 kB gzip before and after). A reason without an entry does not compile. A <code>Rule</code> has an optional <code>range</code> for the reference; <code>within</code>, <code>positive</code> and <code>notNegative</code> set it. The handwritten check that docs/resources.md has every field is gone: the generated page has each by construction.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0127-the-reference-is-generated-and-the-conditions-have-one-list.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0127TheReferenceIsGeneratedAndTheConditionsHaveOneList = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0127TheReferenceIsGeneratedAndTheConditionsHaveOneList as default
};
