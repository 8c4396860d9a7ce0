import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0001. Range faults are CEL, not minimum and maximum","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0001-range-faults-are-cel-not-minimum-and-maximum.md","filePath":"docs/explanation/adr/0001-range-faults-are-cel-not-minimum-and-maximum.md"}');
const _sfc_main = { name: "docs/explanation/adr/0001-range-faults-are-cel-not-minimum-and-maximum.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0001-range-faults-are-cel-not-minimum-and-maximum" tabindex="-1">0001. Range faults are CEL, not <code>minimum</code> and <code>maximum</code> <a class="header-anchor" href="#0001-range-faults-are-cel-not-minimum-and-maximum" aria-label="Permalink to &quot;0001. Range faults are CEL, not \`minimum\` and \`maximum\`&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A bound in the schema is answered by the API server alone and first: CEL rules are then not checked (&quot;some validation rules were not checked because the object was invalid&quot;), so a user would meet his faults one after the other. So bounds are rules in the one table of <code>schema.ts</code>, like those between fields, and all of them come in one answer, each with the value. Types, required fields and enums stay in the schema. <code>fieldPath</code> names the field, so messages do not repeat it: <code>spec.min_replicas: Invalid value: 12 is above spec.max_replicas 10, use at most that</code> (tried on 1.36.3).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0001-range-faults-are-cel-not-minimum-and-maximum.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0001RangeFaultsAreCelNotMinimumAndMaximum = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0001RangeFaultsAreCelNotMinimumAndMaximum as default
};
