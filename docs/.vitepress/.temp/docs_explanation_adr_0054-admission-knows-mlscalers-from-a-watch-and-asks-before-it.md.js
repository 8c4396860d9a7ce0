import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0054. Admission knows MLScalers from a watch, and asks before it refuses","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0054-admission-knows-mlscalers-from-a-watch-and-asks-before-it.md","filePath":"docs/explanation/adr/0054-admission-knows-mlscalers-from-a-watch-and-asks-before-it.md"}');
const _sfc_main = { name: "docs/explanation/adr/0054-admission-knows-mlscalers-from-a-watch-and-asks-before-it.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0054-admission-knows-mlscalers-from-a-watch-and-asks-before-it-refuses" tabindex="-1">0054. Admission knows MLScalers from a watch, and asks before it refuses <a class="header-anchor" href="#0054-admission-knows-mlscalers-from-a-watch-and-asks-before-it-refuses" aria-label="Permalink to &quot;0054. Admission knows MLScalers from a watch, and asks before it refuses&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A list of the namespace at each request grows with the namespace. A watch may be behind: who would be refused by it is refused only when a read of the other MLScaler confirms it. While the watch is broken the namespace is listed, within 1 s. A look-up that fails is a warning. An update of an MLScaler that was Active before is not asked: of two that slipped through, the older must stay editable.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0054-admission-knows-mlscalers-from-a-watch-and-asks-before-it.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0054AdmissionKnowsMlscalersFromAWatchAndAsksBeforeIt = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0054AdmissionKnowsMlscalersFromAWatchAndAsksBeforeIt as default
};
