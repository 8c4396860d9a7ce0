import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0120. The watcher survives a watch that breaks after Kubernetes Fluent Client gave it up","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0120-the-watcher-survives-a-watch-that-breaks-after-kubernetes.md","filePath":"docs/explanation/adr/0120-the-watcher-survives-a-watch-that-breaks-after-kubernetes.md"}');
const _sfc_main = { name: "docs/explanation/adr/0120-the-watcher-survives-a-watch-that-breaks-after-kubernetes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0120-the-watcher-survives-a-watch-that-breaks-after-kubernetes-fluent-client-gave-it-up" tabindex="-1">0120. The watcher survives a watch that breaks after Kubernetes Fluent Client gave it up <a class="header-anchor" href="#0120-the-watcher-survives-a-watch-that-breaks-after-kubernetes-fluent-client-gave-it-up" aria-label="Permalink to &quot;0120. The watcher survives a watch that breaks after Kubernetes Fluent Client gave it up&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Seed 35965175 of the simulation: both watchers ended by <code>TypeError: terminated</code>, an uncaught exception. KFC 3.11.6 removes all listeners of a watch&#39;s stream, then destroys it, then opens the next watch. If the body of the response has just failed, <code>destroy</code> emits that failure, and nobody listens (ten lines with <code>Readable.from</code> of a web stream show it). The watcher now handles <code>uncaughtException</code>: this one error is logged, because the next watch is on its way; any other one still ends the process, with a line in the log. A patch of KFC was the alternative; <code>npx pepr build</code> bundles the package as it is installed, so each clone would have to patch it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0120-the-watcher-survives-a-watch-that-breaks-after-kubernetes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0120TheWatcherSurvivesAWatchThatBreaksAfterKubernetes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0120TheWatcherSurvivesAWatchThatBreaksAfterKubernetes as default
};
