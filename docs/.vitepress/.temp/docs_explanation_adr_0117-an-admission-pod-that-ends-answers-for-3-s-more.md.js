import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0117. An admission pod that ends answers for 3 s more","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0117-an-admission-pod-that-ends-answers-for-3-s-more.md","filePath":"docs/explanation/adr/0117-an-admission-pod-that-ends-answers-for-3-s-more.md"}');
const _sfc_main = { name: "docs/explanation/adr/0117-an-admission-pod-that-ends-answers-for-3-s-more.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0117-an-admission-pod-that-ends-answers-for-3-s-more" tabindex="-1">0117. An admission pod that ends answers for 3 s more <a class="header-anchor" href="#0117-an-admission-pod-that-ends-answers-for-3-s-more" aria-label="Permalink to &quot;0117. An admission pod that ends answers for 3 s more&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>It closed idle connections at once and kept the busy ones, on which the API server went on to send reviews until SIGKILL after 15 s: <code>connection reset by peer</code>, fail open, one or two reviews unasked at each rollout on a real node. Now the server answers for 3 s more, each answer with <code>Connection: close</code>, and closes then.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0117-an-admission-pod-that-ends-answers-for-3-s-more.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0117AnAdmissionPodThatEndsAnswersFor3SMore = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0117AnAdmissionPodThatEndsAnswersFor3SMore as default
};
