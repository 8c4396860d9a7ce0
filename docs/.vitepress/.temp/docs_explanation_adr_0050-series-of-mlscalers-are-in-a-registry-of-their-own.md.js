import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0050. Series of MLScalers are in a registry of their own","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0050-series-of-mlscalers-are-in-a-registry-of-their-own.md","filePath":"docs/explanation/adr/0050-series-of-mlscalers-are-in-a-registry-of-their-own.md"}');
const _sfc_main = { name: "docs/explanation/adr/0050-series-of-mlscalers-are-in-a-registry-of-their-own.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0050-series-of-mlscalers-are-in-a-registry-of-their-own" tabindex="-1">0050. Series of MLScalers are in a registry of their own <a class="header-anchor" href="#0050-series-of-mlscalers-are-in-a-registry-of-their-own" aria-label="Permalink to &quot;0050. Series of MLScalers are in a registry of their own&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Only the process that acts knows what they are: when it loses the Lease that registry is emptied, so that two processes never tell of one MLScaler. A label <code>reason</code> has a closed set, and everything else is <code>Other</code>, because a server answers with words of its own. Beside what the design lists there are <code>mlscaler_ready</code>, the bounds and <code>hpa</code> as stages of <code>mlscaler_replicas</code>, <code>mlscaler_rescales_total</code>, and memory and CPU of the process, which Pepr does not tell.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0050-series-of-mlscalers-are-in-a-registry-of-their-own.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0050SeriesOfMlscalersAreInARegistryOfTheirOwn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0050SeriesOfMlscalersAreInARegistryOfTheirOwn as default
};
