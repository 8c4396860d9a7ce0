import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0064. Pods find their container's paths in Node, and the API server calls Services through a proxy","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0064-pods-find-their-containers-paths-in-node-and-the-api-server.md","filePath":"docs/explanation/adr/0064-pods-find-their-containers-paths-in-node-and-the-api-server.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0064-pods-find-their-containers-paths-in-node-and-the-api-server.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0064-pods-find-their-containers-paths-in-node-and-the-api-server-calls-services-through-a-proxy" tabindex="-1">0064. Pods find their container&#39;s paths in Node, and the API server calls Services through a proxy <a class="header-anchor" href="#0064-pods-find-their-containers-paths-in-node-and-the-api-server-calls-services-through-a-proxy" aria-label="Permalink to &quot;0064. Pods find their container&#39;s paths in Node, and the API server calls Services through a proxy&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>There were two ways to run the module&#39;s pods: as root on Linux in mount namespaces, its Services on loopback addresses with port 443; elsewhere with paths by environment, the hash checked by the sandbox, and the webhook&#39;s configuration rewritten to a URL. Tests ran the one, laptops the other. Now there is one. A file that Node loads first (<code>sandbox/container-paths.cjs</code>, 34 lines) translates paths in <code>fs</code> and in the search for modules, so Pepr&#39;s <code>controller.js</code> and our own image run as they are. The API server&#39;s egress selector (HTTPConnect over a socket) leads a ClusterIP to a pod&#39;s process, so webhooks are called by Service without root, on macOS, too. (Over TCP it takes TLS only: with <code>http://</code>, which its validation passes, kube-apiserver 1.36.3 ends with a nil pointer.) Lost: the pods&#39; users, read-only mounts, and programs other than Node. The sandbox went from 5173 to 4742 lines of TypeScript.</p><p>One authority and three certificates do for all of the control plane, and nodes have no heartbeats, because the controller-manager waits a year for them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0064-pods-find-their-containers-paths-in-node-and-the-api-server.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0064PodsFindTheirContainersPathsInNodeAndTheApiServer = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0064PodsFindTheirContainersPathsInNodeAndTheApiServer as default
};
