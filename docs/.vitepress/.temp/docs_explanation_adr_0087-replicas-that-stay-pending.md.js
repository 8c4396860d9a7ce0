import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0087. Replicas that stay Pending","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0087-replicas-that-stay-pending.md","filePath":"docs/explanation/adr/0087-replicas-that-stay-pending.md"}');
const _sfc_main = { name: "docs/explanation/adr/0087-replicas-that-stay-pending.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0087-replicas-that-stay-pending" tabindex="-1">0087. Replicas that stay Pending <a class="header-anchor" href="#0087-replicas-that-stay-pending" aria-label="Permalink to &quot;0087. Replicas that stay Pending&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Condition <code>ReplicasPending</code>: True with <code>Unschedulable</code>, <code>SchedulingGated</code> or <code>ReplicasMissing</code>, and absent else. It comes after the longer of 60 s and twice the measured start-up time. Its text changes with the count and at steps of 1, 2, 5, 10, 30 min, 1, 3, 6, 12 and 24 h; the scheduler&#39;s words are kept between these, because they change with every node. <code>ReplicasMissing</code> looks at the scale only (status.replicas below spec.replicas, and no more of them for that long; a StatefulSet that creates its pods one by one begins anew with each): the rights of the module do not reach ReplicaSets or quotas, so the message says where to look.</p><p>The start-up time counts from PodScheduled, not from the creation. Left out altogether was the other choice: then a cluster that makes a node for each pod measures nothing, and 60 s are presumed. With a cluster autoscaler the time of a node is real, but a full cluster and one that grows look the same to us, and the first would push the horizon to 15 min: who wants the time of a node in the horizon sets <code>horizon_seconds</code>. The horizon stays bounded as it was: no start-up time above 900 s counts.</p><p>The largest valid MLScaler (16 External metrics with full selectors, 32 schedules) has 437 kB: its check at admission takes 4.6 ms of CPU, a sync 17 ms, the first 79 ms (in the tests&#39; fake cluster).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0087-replicas-that-stay-pending.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0087ReplicasThatStayPending = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0087ReplicasThatStayPending as default
};
