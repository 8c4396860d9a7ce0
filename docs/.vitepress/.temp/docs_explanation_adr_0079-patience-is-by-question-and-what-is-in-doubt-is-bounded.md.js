import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0079. Patience is by question, and what is in doubt is bounded","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0079-patience-is-by-question-and-what-is-in-doubt-is-bounded.md","filePath":"docs/explanation/adr/0079-patience-is-by-question-and-what-is-in-doubt-is-bounded.md"}');
const _sfc_main = { name: "docs/explanation/adr/0079-patience-is-by-question-and-what-is-in-doubt-is-bounded.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0079-patience-is-by-question-and-what-is-in-doubt-is-bounded" tabindex="-1">0079. Patience is by question, and what is in doubt is bounded <a class="header-anchor" href="#0079-patience-is-by-question-and-what-is-in-doubt-is-bounded" aria-label="Permalink to &quot;0079. Patience is by question, and what is in doubt is bounded&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Three time-outs of a question (a path and its query, a PromQL text, in a namespace) stop it for 10 s. Three time-outs of the server with no answer between put all its requests in doubt. Requests in doubt share 16 places by namespace, and fail at once without one. So a metrics-server that is silent to 100 namespaces gets 3.2 requests a second at most, less than in health, and nobody else&#39;s answer is lost.</p><ul><li>Before, in a unit test with ten hanging metrics every 15 s, another namespace lost 40 of 40 reads; now none.</li><li>No longer pauses between probes: an answer is found within 10 s, as before.</li><li>From 16 namespaces on that hang at the same moment, one whose question is in doubt may have to wait for its turn. A question that was answered needs a place only while the whole server seems silent.</li><li>A pending answer is shared however long it takes: before, a hanging request was sent again every 1 s or 3 s.</li><li>Prometheus&#39; answers are no longer shared between namespaces: B would wait in A&#39;s queue.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0079-patience-is-by-question-and-what-is-in-doubt-is-bounded.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0079PatienceIsByQuestionAndWhatIsInDoubtIsBounded = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0079PatienceIsByQuestionAndWhatIsInDoubtIsBounded as default
};
