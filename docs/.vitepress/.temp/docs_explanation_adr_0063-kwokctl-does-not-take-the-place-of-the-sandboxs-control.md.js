import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0063. kwokctl does not take the place of the sandbox's control plane","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0063-kwokctl-does-not-take-the-place-of-the-sandboxs-control.md","filePath":"docs/explanation/adr/0063-kwokctl-does-not-take-the-place-of-the-sandboxs-control.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0063-kwokctl-does-not-take-the-place-of-the-sandboxs-control.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0063-kwokctl-does-not-take-the-place-of-the-sandboxs-control-plane" tabindex="-1">0063. kwokctl does not take the place of the sandbox&#39;s control plane <a class="header-anchor" href="#0063-kwokctl-does-not-take-the-place-of-the-sandboxs-control-plane" aria-label="Permalink to &quot;0063. kwokctl does not take the place of the sandbox&#39;s control plane&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Tried with kwokctl of kwok 0.8.0, binary runtime, our own binaries (2026-11-23, two cores, load 7 to 9 of others). etcd, API server, controller-manager, scheduler and kwok were up after 4.7 and 7.0 s; ours, with metrics-server, Prometheus and six nodes besides, after 7.4 s. It would replace <code>components.ts</code>, <code>controlplane.ts</code>, most of <code>pki.ts</code> and <code>kubeconfig.ts</code>, about 640 lines, of which we estimate that 150 come back as <code>--extra-args</code> and as reading its state. Against it:</p><ul><li>With <code>--enable metrics-server</code> it fetches a manifest from the network at each creation, whatever <code>--metrics-server-binary</code> says. Prometheus would have to be ours as well.</li><li>A component that ends at once is not noticed. An API server that refused a flag took 3 min (2 min &quot;not served yet&quot;, 1 min <code>--wait</code>) to fail, with kubectl&#39;s &quot;connection refused&quot; and no word of its log.</li><li>It leaves processes to init, each in a session of its own, and knows them by files with a pid alone. After a crash a number that was given away again would be ended; our records have the start time, and are ended with their groups.</li><li>It has no front proxy of its own, no stop with SIGKILL and no start with other flags, which the tests of faults use; etcd speaks plain HTTP.</li><li>kwokctl is 100 MB more to build (25 s of CPU time with a warm cache), and needs 10 more modules, Docker&#39;s CLI among them.</li></ul><p>The node with the module&#39;s processes (kubelet, pods, volumes, probes), the larger half, would stay as it is.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0063-kwokctl-does-not-take-the-place-of-the-sandboxs-control.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0063KwokctlDoesNotTakeThePlaceOfTheSandboxsControl = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0063KwokctlDoesNotTakeThePlaceOfTheSandboxsControl as default
};
