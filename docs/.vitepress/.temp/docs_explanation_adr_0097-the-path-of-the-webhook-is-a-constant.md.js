import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0097. The path of the webhook is a constant","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0097-the-path-of-the-webhook-is-a-constant.md","filePath":"docs/explanation/adr/0097-the-path-of-the-webhook-is-a-constant.md"}');
const _sfc_main = { name: "docs/explanation/adr/0097-the-path-of-the-webhook-is-a-constant.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0097-the-path-of-the-webhook-is-a-constant" tabindex="-1">0097. The path of the webhook is a constant <a class="header-anchor" href="#0097-the-path-of-the-webhook-is-a-constant" aria-label="Permalink to &quot;0097. The path of the webhook is a constant&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>/validate/mlscaler</code>. Pepr&#39;s random path is a secret in the chart, which the issue forbids. Who reaches the admission pods can ask for reviews, as with any other webhook; <code>networkPolicy</code> restricts who does.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0097-the-path-of-the-webhook-is-a-constant.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0097ThePathOfTheWebhookIsAConstant = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0097ThePathOfTheWebhookIsAConstant as default
};
