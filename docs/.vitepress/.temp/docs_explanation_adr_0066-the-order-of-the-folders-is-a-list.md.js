import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0066. The order of the folders is a list","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0066-the-order-of-the-folders-is-a-list.md","filePath":"docs/explanation/adr/0066-the-order-of-the-folders-is-a-list.md"}');
const _sfc_main = { name: "docs/explanation/adr/0066-the-order-of-the-folders-is-a-list.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0066-the-order-of-the-folders-is-a-list" tabindex="-1">0066. The order of the folders is a list <a class="header-anchor" href="#0066-the-order-of-the-folders-is-a-list" aria-label="Permalink to &quot;0066. The order of the folders is a list&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>.dependency-cruiser.mjs</code> has the folders in one list, and a folder imports only those before it, types included. A rule that finds cycles would allow every arrow until a second one closes a circle; a list says which arrow is wrong. The steps of mlscaler therefore import nothing from <code>schema.ts</code>: each names the fields that it reads (<code>Form</code>, <code>TargetFields</code>, <code>MetricFields</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0066-the-order-of-the-folders-is-a-list.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0066TheOrderOfTheFoldersIsAList = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0066TheOrderOfTheFoldersIsAList as default
};
