import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0018. An MLScaler stands back from a Deployment that an EasyService or a Hello made","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0018-an-mlscaler-stands-back-from-a-deployment-that-an.md","filePath":"docs/explanation/adr/0018-an-mlscaler-stands-back-from-a-deployment-that-an.md"}');
const _sfc_main = { name: "docs/explanation/adr/0018-an-mlscaler-stands-back-from-a-deployment-that-an.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0018-an-mlscaler-stands-back-from-a-deployment-that-an-easyservice-or-a-hello-made" tabindex="-1">0018. An MLScaler stands back from a Deployment that an EasyService or a Hello made <a class="header-anchor" href="#0018-an-mlscaler-stands-back-from-a-deployment-that-an-easyservice-or-a-hello-made" aria-label="Permalink to &quot;0018. An MLScaler stands back from a Deployment that an EasyService or a Hello made&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Both write <code>spec.replicas</code>, and each undoes what the other wrote: woken by the other&#39;s write, they did so several times a second. So a target whose controller is one of these is left to it, with a condition that names what to scale instead. And changes of a target within 5 s after an MLScaler scaled it wake nobody, so that a quarrel with any other writer goes on at the pace of the sync period at most.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0018-an-mlscaler-stands-back-from-a-deployment-that-an.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0018AnMlscalerStandsBackFromADeploymentThatAn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0018AnMlscalerStandsBackFromADeploymentThatAn as default
};
