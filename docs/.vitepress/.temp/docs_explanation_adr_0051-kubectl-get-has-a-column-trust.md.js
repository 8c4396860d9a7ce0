import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0051. kubectl get has a column TRUST","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0051-kubectl-get-has-a-column-trust.md","filePath":"docs/explanation/adr/0051-kubectl-get-has-a-column-trust.md"}');
const _sfc_main = { name: "docs/explanation/adr/0051-kubectl-get-has-a-column-trust.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0051-kubectl-get-has-a-column-trust" tabindex="-1">0051. kubectl get has a column TRUST <a class="header-anchor" href="#0051-kubectl-get-has-a-column-trust" aria-label="Permalink to &quot;0051. kubectl get has a column TRUST&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Beside the design&#39;s columns: TRUST is the reason of <code>ForecastReady</code> (Trusted, Learning, Demoted, Fitted …), which is how sure the forecast is in one word; with <code>-o wide</code> also COVERAGE%, the reason of <code>Ready</code>, and <code>status.decision.reason</code>. SKILL is called SKILL%: kubectl prints a number as it is.</p><p>LOAD is <code>status.load</code>, the total that FORECAST is of: <code>status.metrics[].current</code> is, as in an HPA, an average or a percentage, and beside it the two could not be compared.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0051-kubectl-get-has-a-column-trust.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0051KubectlGetHasAColumnTrust = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0051KubectlGetHasAColumnTrust as default
};
