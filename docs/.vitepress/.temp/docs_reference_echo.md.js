import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Echo","description":"","frontmatter":{},"headers":[],"relativePath":"docs/reference/echo.md","filePath":"docs/reference/echo.md"}');
const _sfc_main = { name: "docs/reference/echo.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="echo" tabindex="-1">Echo <a class="header-anchor" href="#echo" aria-label="Permalink to &quot;Echo&quot;">​</a></h1><p><code>my-operator.dev/v1</code>, <code>kubectl get echoes</code>: pods <code>NAME-xxxxx</code>, without a Deployment in between.</p><table tabindex="0"><thead><tr><th>field</th><th></th></tr></thead><tbody><tr><td><code>image</code></td><td>the image of the pods</td></tr><tr><td><code>replicas</code></td><td>0 to 1000; what <code>kubectl scale</code> changes</td></tr></tbody></table><p><a href="../../examples/echo.yaml" target="_blank">examples/echo.yaml</a> is valid, <a href="../../examples/echo-invalid.yaml" target="_blank">examples/echo-invalid.yaml</a> is not.</p><ul><li>A pod that failed, ended or was evicted is replaced after 10 s. The pause doubles up to 5 min while its successors fail too.</li><li>A changed image replaces the pods one after the other, so that never more than one is missing.</li><li>Of too many pods those that are not Ready go first, then the youngest.</li><li>The status has <code>current_replicas</code> and <code>is_ready</code>, by server-side apply as <code>echo-operator</code>.</li><li>It has a scale subresource: an MLScaler with <a href="./../how-to/scale-other-kinds.html"><code>target_ref</code></a> can scale it.</li></ul><p><a href="./../explanation/other-resources.html">What holds for these resources</a> is the same for all of them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/reference/echo.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const echo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  echo as default
};
