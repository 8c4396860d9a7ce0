import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0115. The webhook's timeout is 3 s","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0115-the-webhooks-timeout-is-3-s.md","filePath":"docs/explanation/adr/0115-the-webhooks-timeout-is-3-s.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0115-the-webhooks-timeout-is-3-s.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0115-the-webhooks-timeout-is-3-s" tabindex="-1">0115. The webhook&#39;s timeout is 3 s <a class="header-anchor" href="#0115-the-webhooks-timeout-is-3-s" aria-label="Permalink to &quot;0115. The webhook&#39;s timeout is 3 s&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npx pepr deploy</code> had 10 s (Pepr&#39;s default), the chart 3 s already. An answer waits 1.5 s for a backtest, reads from the cluster end after 1 s.</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>Measured with <code>Admission.review</code> on two weeks of history, two cores at load average 10: 200 updates, 50 a second: p50 0.7 ms, p99 20 ms, the longest 1,507 ms; one that waited in vain for its backtest 1,511 ms. So the limit is overrun by 11 ms, and half of the 3 s is left for TLS and the network. A test holds the ratio for package.json and chart. When no admission pod answers, a create waits for the timeout and then passes: 10 s were seen on a real node; 3 s were not tried there.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0115-the-webhooks-timeout-is-3-s.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0115TheWebhooksTimeoutIs3S = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0115TheWebhooksTimeoutIs3S as default
};
