import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0033. max_extra_percent is measured from the load of now","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0033-max-extra-percent-is-measured-from-the-load-of-now.md","filePath":"docs/explanation/adr/0033-max-extra-percent-is-measured-from-the-load-of-now.md"}');
const _sfc_main = { name: "docs/explanation/adr/0033-max-extra-percent-is-measured-from-the-load-of-now.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0033-max_extra_percent-is-measured-from-the-load-of-now" tabindex="-1">0033. max_extra_percent is measured from the load of now <a class="header-anchor" href="#0033-max_extra_percent-is-measured-from-the-load-of-now" aria-label="Permalink to &quot;0033. max_extra_percent is measured from the load of now&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The design has it measured from the reactive count. HPA&#39;s rule leaves the count as it is while the pods that are Ready are within the tolerance, so while the pods that a forecast added start, their own number would be the reactive count, and the next sync could add as many again, up to max_replicas. So the bound rests on what the loads of now need, without the tolerance, and on no more than the reactive count (nor less than <code>min_replicas</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0033-max-extra-percent-is-measured-from-the-load-of-now.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0033MaxExtraPercentIsMeasuredFromTheLoadOfNow = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0033MaxExtraPercentIsMeasuredFromTheLoadOfNow as default
};
