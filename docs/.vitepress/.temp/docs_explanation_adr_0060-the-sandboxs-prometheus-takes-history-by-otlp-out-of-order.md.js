import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0060. The sandbox's Prometheus takes history by OTLP, out of order","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0060-the-sandboxs-prometheus-takes-history-by-otlp-out-of-order.md","filePath":"docs/explanation/adr/0060-the-sandboxs-prometheus-takes-history-by-otlp-out-of-order.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0060-the-sandboxs-prometheus-takes-history-by-otlp-out-of-order.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0060-the-sandboxs-prometheus-takes-history-by-otlp-out-of-order" tabindex="-1">0060. The sandbox&#39;s Prometheus takes history by OTLP, out of order <a class="header-anchor" href="#0060-the-sandboxs-prometheus-takes-history-by-otlp-out-of-order" aria-label="Permalink to &quot;0060. The sandbox&#39;s Prometheus takes history by OTLP, out of order&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Weeks of samples come in as OTLP in JSON, which needs no package and no second program (promtool would be one, and wants Prometheus stopped), over <code>out_of_order_time_window</code>. Two weeks at a minute, 20,160 samples, took 0.3 s, 15 days at 15 s 0.7 s; then two weeks of <code>rate()</code> at 5 min are answered in 30 ms. Before the first sample of today has been scraped, the first of the past would count as the newest, so <code>PrometheusLoad</code> waits for its own scrape first. Blocks of a day keep it from compacting beside the tests.</p><p>It is built from a Go module of its own, because its requirements and those of Kubernetes exclude each other, into a cache of its own, so that neither is built anew for the other. Cold it takes 4 min of CPU time, and 51 MB. At work, scraping a page every second, it takes 0.5 % of a core and 65 to 78 MB (measured on 2026-11-22).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0060-the-sandboxs-prometheus-takes-history-by-otlp-out-of-order.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0060TheSandboxsPrometheusTakesHistoryByOtlpOutOfOrder = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0060TheSandboxsPrometheusTakesHistoryByOtlpOutOfOrder as default
};
