import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0121. A restarted container takes the Lease at once","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0121-a-restarted-container-takes-the-lease-at-once.md","filePath":"docs/explanation/adr/0121-a-restarted-container-takes-the-lease-at-once.md"}');
const _sfc_main = { name: "docs/explanation/adr/0121-a-restarted-container-takes-the-lease-at-once.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0121-a-restarted-container-takes-the-lease-at-once" tabindex="-1">0121. A restarted container takes the Lease at once <a class="header-anchor" href="#0121-a-restarted-container-takes-the-lease-at-once" aria-label="Permalink to &quot;0121. A restarted container takes the Lease at once&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A killed leader was replaced after 17.1, 18.3, 20.7 and 21.4 s on the real node (16 wanted): the restarted container waited for the Lease of its own predecessor. A kubelet starts a container only after the one before has ended, so a process of the same pod is surely gone. The identity in the Lease now begins with name and uid of the pod, and a process takes the Lease from an identity that begins like its own. The names come from the claims of the ServiceAccount&#39;s token. HOSTNAME does not do (on the host&#39;s network it is the node&#39;s name), and <code>npx pepr deploy</code> sets no downward API.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0121-a-restarted-container-takes-the-lease-at-once.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0121ARestartedContainerTakesTheLeaseAtOnce = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0121ARestartedContainerTakesTheLeaseAtOnce as default
};
