import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0030. An outage ends with a full window","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0030-an-outage-ends-with-a-full-window.md","filePath":"docs/explanation/adr/0030-an-outage-ends-with-a-full-window.md"}');
const _sfc_main = { name: "docs/explanation/adr/0030-an-outage-ends-with-a-full-window.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0030-an-outage-ends-with-a-full-window" tabindex="-1">0030. An outage ends with a full window <a class="header-anchor" href="#0030-an-outage-ends-with-a-full-window" aria-label="Permalink to &quot;0030. An outage ends with a full window&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The count that stands in for what was not recommended during an outage of the metrics used to age with it, so that a scale-down could follow seconds after they were back. It counts from their return now.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0030-an-outage-ends-with-a-full-window.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0030AnOutageEndsWithAFullWindow = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0030AnOutageEndsWithAFullWindow as default
};
