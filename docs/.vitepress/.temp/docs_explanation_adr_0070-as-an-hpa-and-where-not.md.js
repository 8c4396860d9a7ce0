import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0070. As an HPA, and where not","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0070-as-an-hpa-and-where-not.md","filePath":"docs/explanation/adr/0070-as-an-hpa-and-where-not.md"}');
const _sfc_main = { name: "docs/explanation/adr/0070-as-an-hpa-and-where-not.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0070-as-an-hpa-and-where-not" tabindex="-1">0070. As an HPA, and where not <a class="header-anchor" href="#0070-as-an-hpa-and-where-not" aria-label="Permalink to &quot;0070. As an HPA, and where not&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A correction to the bounds reads no pods and no metrics when it will be written; in <code>pause</code> and <code>Observe</code>, where the count stays outside, they are read. The sync after it comes 10 s later (15 s in an HPA), because with a long period nothing would be known of the load until then. Status keeps the figures of before. ScalingLimited is left as it was, as an HPA leaves it. <code>predicted_replicas</code> keeps its value after a failed rescale; while metrics fail it is the count that stays, where an HPA keeps its last desiredReplicas: the column DESIRED would show a count that nobody asks for any more after an edit by hand. Read in 1.37.2: the 73 cases of replica_calculator_test.go are those of 1.36 as rows of tables (the pairs of current and expected counts are the same but for the cases that expect an error); names in our tables stay those of 1.36. A changed spec wakes at once in both (generation).</p><p><strong>on_delete</strong> has no default in the CRD any more: it depends on the form. An object that was stored before has <code>Min</code> written out and keeps it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0070-as-an-hpa-and-where-not.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0070AsAnHpaAndWhereNot = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0070AsAnHpaAndWhereNot as default
};
