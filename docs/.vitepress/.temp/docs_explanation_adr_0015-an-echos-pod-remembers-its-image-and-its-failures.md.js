import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0015. An Echo's pod remembers its image and its failures in annotations","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0015-an-echos-pod-remembers-its-image-and-its-failures.md","filePath":"docs/explanation/adr/0015-an-echos-pod-remembers-its-image-and-its-failures.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0015-an-echos-pod-remembers-its-image-and-its-failures.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0015-an-echos-pod-remembers-its-image-and-its-failures-in-annotations" tabindex="-1">0015. An Echo&#39;s pod remembers its image and its failures in annotations <a class="header-anchor" href="#0015-an-echos-pod-remembers-its-image-and-its-failures-in-annotations" aria-label="Permalink to &quot;0015. An Echo&#39;s pod remembers its image and its failures in annotations&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An admission webhook of the cluster may rewrite images (mirrors, digests): compared with the spec, such a pod would be replaced for ever. So what it was made with is an annotation, and the container&#39;s image counts only once the pod&#39;s spec was edited (<code>metadata.generation</code> above 1, from Kubernetes 1.34 on). The number of failures before a pod is an annotation too: the back-off survives a restart of the watcher without anything being stored.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0015-an-echos-pod-remembers-its-image-and-its-failures.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0015AnEchosPodRemembersItsImageAndItsFailures = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0015AnEchosPodRemembersItsImageAndItsFailures as default
};
