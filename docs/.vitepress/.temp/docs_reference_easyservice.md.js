import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"EasyService","description":"","frontmatter":{},"headers":[],"relativePath":"docs/reference/easyservice.md","filePath":"docs/reference/easyservice.md"}');
const _sfc_main = { name: "docs/reference/easyservice.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="easyservice" tabindex="-1">EasyService <a class="header-anchor" href="#easyservice" aria-label="Permalink to &quot;EasyService&quot;">​</a></h1><p><code>app.kubebuilder.io/v1</code>, <code>kubectl get esvc</code>: a Deployment and a Service of type NodePort.</p><div class="language-yaml vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">yaml</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">apiVersion</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">app.kubebuilder.io/v1</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">kind</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">EasyService</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">metadata</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">:</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">  name</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">web</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">spec</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">:</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">  size</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">2</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">  image</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">nginx:1.7.9</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">  ports</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">:</span></span>
<span class="line"><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">    - </span><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">port</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">80</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">      targetPort</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">80</span></span>
<span class="line"><span style="--shiki-light:#22863A;--shiki-dark:#85E89D;">      nodePort</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">: </span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">31002</span></span></code></pre></div><table tabindex="0"><thead><tr><th>field</th><th></th></tr></thead><tbody><tr><td><code>size</code></td><td>replicas of the Deployment; what <code>kubectl scale</code> changes</td></tr><tr><td><code>image</code></td><td>the image of its container, which has the name of the EasyService</td></tr><tr><td><code>resources</code>, <code>envs</code></td><td><code>resources</code> and <code>env</code> of a container, checked as Kubernetes checks them</td></tr><tr><td><code>ports</code></td><td><code>ports</code> of a Service, checked as Kubernetes checks them</td></tr></tbody></table><p><code>kubectl explain easyservice.spec</code> has every field. <a href="../../examples/easyservice.yaml" target="_blank">examples/easyservice.yaml</a> is valid, <a href="../../examples/easyservice-invalid.yaml" target="_blank">examples/easyservice-invalid.yaml</a> is not.</p><ul><li>Without ports there is no Service.</li><li>A node port outside 30000-32767 is a warning, because the range is a flag of the API server.</li><li>A node port that is taken is <code>ServiceReady=False</code> and an event, while the Deployment goes on.</li><li>The name must be that of a Service: at most 63 lower case letters, digits and <code>-</code>, a letter first.</li><li>The status is that of the Deployment, field for field, with <code>Ready</code> and <code>ServiceReady</code> beside its conditions.</li><li>It has a scale subresource: an MLScaler with <a href="./../how-to/scale-other-kinds.html"><code>target_ref</code></a> can scale it.</li></ul><p><a href="./../explanation/other-resources.html">What holds for these resources</a> is the same for all of them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/reference/easyservice.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const easyservice = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  easyservice as default
};
