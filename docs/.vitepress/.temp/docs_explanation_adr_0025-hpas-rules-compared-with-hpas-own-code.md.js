import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0025. HPA's rules, compared with HPA's own code","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0025-hpas-rules-compared-with-hpas-own-code.md","filePath":"docs/explanation/adr/0025-hpas-rules-compared-with-hpas-own-code.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0025-hpas-rules-compared-with-hpas-own-code.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0025-hpas-rules-compared-with-hpas-own-code" tabindex="-1">0025. HPA&#39;s rules, compared with HPA&#39;s own code <a class="header-anchor" href="#0025-hpas-rules-compared-with-hpas-own-code" aria-label="Permalink to &quot;0025. HPA&#39;s rules, compared with HPA&#39;s own code&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>scaling/</code> was compared with horizontal.go and replica_calculator.go of Kubernetes 1.36.3, compiled with a small driver, on 480,000 random cases (once, by hand, on 2026-11-21; no command repeats it): counts, current values and reasons were the same. Left out were numbers beyond int32, where Go wraps round (a policy value near its maximum then means &quot;never grows&quot;): here they are capped.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0025-hpas-rules-compared-with-hpas-own-code.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0025HpasRulesComparedWithHpasOwnCode = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0025HpasRulesComparedWithHpasOwnCode as default
};
