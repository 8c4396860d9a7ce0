import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0096. priorityClassName is system-cluster-critical","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0096-priorityclassname-is-system-cluster-critical.md","filePath":"docs/explanation/adr/0096-priorityclassname-is-system-cluster-critical.md"}');
const _sfc_main = { name: "docs/explanation/adr/0096-priorityclassname-is-system-cluster-critical.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0096-priorityclassname-is-system-cluster-critical" tabindex="-1">0096. priorityClassName is system-cluster-critical <a class="header-anchor" href="#0096-priorityclassname-is-system-cluster-critical" aria-label="Permalink to &quot;0096. priorityClassName is system-cluster-critical&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An autoscaler that is evicted first under pressure scales nothing when it matters. GKE wants a ResourceQuota for it outside kube-system; the value&#39;s description says so.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0096-priorityclassname-is-system-cluster-critical.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0096PriorityclassnameIsSystemClusterCritical = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0096PriorityclassnameIsSystemClusterCritical as default
};
