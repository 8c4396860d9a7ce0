import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Hello","description":"","frontmatter":{},"headers":[],"relativePath":"docs/reference/hello.md","filePath":"docs/reference/hello.md"}');
const _sfc_main = { name: "docs/reference/hello.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="hello" tabindex="-1">Hello <a class="header-anchor" href="#hello" aria-label="Permalink to &quot;Hello&quot;">​</a></h1><p><code>fraim.co.jp/v1</code>, <code>kubectl get hlo</code>: a Deployment of nginxdemos/hello with 1 to 20 replicas.</p><table tabindex="0"><thead><tr><th>field</th><th></th></tr></thead><tbody><tr><td><code>replicas</code></td><td>1 to 20; what <code>kubectl scale</code> changes</td></tr></tbody></table><p><a href="../../examples/hello.yaml" target="_blank">examples/hello.yaml</a> is valid, <a href="../../examples/hello-invalid.yaml" target="_blank">examples/hello-invalid.yaml</a> is not.</p><ul><li>The Deployment is written by server-side apply as <code>example-operator</code>.</li><li>What others set in its fields is taken back. The condition <code>TakenBack</code> and an event say from whom.</li><li>On deletion the Deployment goes first, then the event <code>DeleteRequested</code>, then the Hello (finalizer <code>fraim.co.jp/example-operator</code>).</li><li>It has a scale subresource: an MLScaler with <a href="./../how-to/scale-other-kinds.html"><code>target_ref</code></a> can scale it.</li></ul><p><a href="./../explanation/other-resources.html">What holds for these resources</a> is the same for all of them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/reference/hello.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const hello = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  hello as default
};
