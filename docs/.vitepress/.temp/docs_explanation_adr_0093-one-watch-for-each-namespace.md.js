import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0093. One watch for each namespace","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0093-one-watch-for-each-namespace.md","filePath":"docs/explanation/adr/0093-one-watch-for-each-namespace.md"}');
const _sfc_main = { name: "docs/explanation/adr/0093-one-watch-for-each-namespace.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0093-one-watch-for-each-namespace" tabindex="-1">0093. One watch for each namespace <a class="header-anchor" href="#0093-one-watch-for-each-namespace" aria-label="Permalink to &quot;0093. One watch for each namespace&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>With <code>MLSCALER_NAMESPACES</code> each watch of foreign kinds is one watch for each namespace behind the same handler. It counts as complete when all are, and its revision is the least of theirs, so no caller knows of it. Pepr&#39;s own watch, and full passes, see all MLScalers; the operator ignores those of other namespaces.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0093-one-watch-for-each-namespace.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0093OneWatchForEachNamespace = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0093OneWatchForEachNamespace as default
};
