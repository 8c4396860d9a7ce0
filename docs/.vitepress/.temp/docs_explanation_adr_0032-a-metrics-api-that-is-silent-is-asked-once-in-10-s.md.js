import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0032. A metrics API that is silent is asked once in 10 s","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0032-a-metrics-api-that-is-silent-is-asked-once-in-10-s.md","filePath":"docs/explanation/adr/0032-a-metrics-api-that-is-silent-is-asked-once-in-10-s.md"}');
const _sfc_main = { name: "docs/explanation/adr/0032-a-metrics-api-that-is-silent-is-asked-once-in-10-s.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0032-a-metrics-api-that-is-silent-is-asked-once-in-10-s" tabindex="-1">0032. A metrics API that is silent is asked once in 10 s <a class="header-anchor" href="#0032-a-metrics-api-that-is-silent-is-asked-once-in-10-s" aria-label="Permalink to &quot;0032. A metrics API that is silent is asked once in 10 s&quot;">​</a></h1><p>Superseded by <a href="./0078-what-tenants-share-is-shared-out-by-namespace-by-one-class.html">0078</a>, which doubles the places and shares them out by namespace, and by <a href="./0079-patience-is-by-question-and-what-is-in-doubt-is-bounded.html">0079</a>, which counts silences by question.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A question without an answer holds one of the 32 places for syncs for 5 s, so some 130 MLScalers on one silent adapter would hold up all others. After three questions in a row without an answer in time all who ask that API fail at once, but for one question in 10 s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0032-a-metrics-api-that-is-silent-is-asked-once-in-10-s.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0032AMetricsApiThatIsSilentIsAskedOnceIn10S = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0032AMetricsApiThatIsSilentIsAskedOnceIn10S as default
};
