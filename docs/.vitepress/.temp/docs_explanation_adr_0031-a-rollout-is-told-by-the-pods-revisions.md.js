import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0031. A rollout is told by the pods' revisions","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0031-a-rollout-is-told-by-the-pods-revisions.md","filePath":"docs/explanation/adr/0031-a-rollout-is-told-by-the-pods-revisions.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0031-a-rollout-is-told-by-the-pods-revisions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0031-a-rollout-is-told-by-the-pods-revisions" tabindex="-1">0031. A rollout is told by the pods&#39; revisions <a class="header-anchor" href="#0031-a-rollout-is-told-by-the-pods-revisions" aria-label="Permalink to &quot;0031. A rollout is told by the pods&#39; revisions&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Pods name their template (<code>pod-template-hash</code>, <code>controller-revision-hash</code>). While some are of another revision than the target had, and not Ready for two minutes yet (nor up for five), their samples count with at most the mean of the others (where there are no others, increases wait for one minute, no longer: load that is real must not wait). Reading the Deployment&#39;s status would be one more read a sync, and tell nothing of StatefulSets. Pods that start when none of the old revision is left are a scale-up&#39;s, and keep no rollout open.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0031-a-rollout-is-told-by-the-pods-revisions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0031ARolloutIsToldByThePodsRevisions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0031ARolloutIsToldByThePodsRevisions as default
};
