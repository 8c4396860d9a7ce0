import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0094. Two releases are refused by a look at the webhook configurations","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0094-two-releases-are-refused-by-a-look-at-the-webhook.md","filePath":"docs/explanation/adr/0094-two-releases-are-refused-by-a-look-at-the-webhook.md"}');
const _sfc_main = { name: "docs/explanation/adr/0094-two-releases-are-refused-by-a-look-at-the-webhook.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0094-two-releases-are-refused-by-a-look-at-the-webhook-configurations" tabindex="-1">0094. Two releases are refused by a look at the webhook configurations <a class="header-anchor" href="#0094-two-releases-are-refused-by-a-look-at-the-webhook-configurations" aria-label="Permalink to &quot;0094. Two releases are refused by a look at the webhook configurations&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Leases are per namespace, so two releases would both act. Templates look up ValidatingWebhookConfigurations (few in any cluster) with the label <code>app.kubernetes.io/part-of: mlscaler</code> and the release in Helm&#39;s annotations. <code>helm template</code>, and so Argo CD, cannot look: there nothing is refused.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0094-two-releases-are-refused-by-a-look-at-the-webhook.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0094TwoReleasesAreRefusedByALookAtTheWebhook = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0094TwoReleasesAreRefusedByALookAtTheWebhook as default
};
