import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0116. Tests on a real node are one unshare","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0116-tests-on-a-real-node-are-one-unshare.md","filePath":"docs/explanation/adr/0116-tests-on-a-real-node-are-one-unshare.md"}');
const _sfc_main = { name: "docs/explanation/adr/0116-tests-on-a-real-node-are-one-unshare.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0116-tests-on-a-real-node-are-one-unshare" tabindex="-1">0116. Tests on a real node are one <code>unshare</code> <a class="header-anchor" href="#0116-tests-on-a-real-node-are-one-unshare" aria-label="Permalink to &quot;0116. Tests on a real node are one \`unshare\`&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The control plane, kubelet, containerd, kube-proxy and the tests run in one set of namespaces (network, mounts, processes, UTS, IPC), not in a named network namespace with <code>nsenter</code> for each process. So tests, kubectl and helm use 127.0.0.1 and ClusterIPs as they are, and the kernel ends everything with process 1. kubelet and kube-proxy are 1.37.2, the version of the control plane, from <code>sandbox/node/go.mod</code>: a module of its own, because compiling them must not delay <code>npm start</code>. 1.37.2 takes control groups of version 1 (<code>failCgroupV1: false</code>) and containerd 1.6. &quot;Who acts&quot; is seen by changes of a spec and <code>status.observedGeneration</code>: an edit of replicas within seconds of the module&#39;s own write waits for the next sync on purpose. Bounds of the tests are wider than the wanted figures where a busy machine decides. They fail on what breaks a handover (x509 of a new CA: 14 s; a Lease that is not released: 15 s).</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>Wanted and missed in three tries: a killed leader 17.1, 18.3, 20.7, 21.4 s (16 s); restart 4.9, 2.1, 4.1 s (3 s); the watcher&#39;s CPU with one MLScaler 0.41 to 0.63 % (0.3 %). A killed leader cannot be replaced within 16 s by client-go&#39;s rules: the restarted container sees the Lease 1 to 2 s later, waits 15 s from then, and tries every 2 s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0116-tests-on-a-real-node-are-one-unshare.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0116TestsOnARealNodeAreOneUnshare = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0116TestsOnARealNodeAreOneUnshare as default
};
