import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0004. Where nothing is remembered, the current count is a recommendation","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0004-where-nothing-is-remembered-the-current-count.md","filePath":"docs/explanation/adr/0004-where-nothing-is-remembered-the-current-count.md"}');
const _sfc_main = { name: "docs/explanation/adr/0004-where-nothing-is-remembered-the-current-count.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0004-where-nothing-is-remembered-the-current-count-is-a-recommendation" tabindex="-1">0004. Where nothing is remembered, the current count is a recommendation <a class="header-anchor" href="#0004-where-nothing-is-remembered-the-current-count-is-a-recommendation" aria-label="Permalink to &quot;0004. Where nothing is remembered, the current count is a recommendation&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>HPA records the current count once, on first sight. Here it counts again whenever the newest recommendation is older than 300 s and two periods, so that an outage of the API server or of the metrics does not end in a scale-down on the first low sample either. (Two periods, because with a period of 300 s and more the window is empty at every sync.)</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0004-where-nothing-is-remembered-the-current-count.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0004WhereNothingIsRememberedTheCurrentCount = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0004WhereNothingIsRememberedTheCurrentCount as default
};
