import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0011. A Hello's containerPort is 80","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0011-a-hellos-containerport-is-80.md","filePath":"docs/explanation/adr/0011-a-hellos-containerport-is-80.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0011-a-hellos-containerport-is-80.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0011-a-hellos-containerport-is-80" tabindex="-1">0011. A Hello&#39;s containerPort is 80 <a class="header-anchor" href="#0011-a-hellos-containerport-is-80" aria-label="Permalink to &quot;0011. A Hello&#39;s containerPort is 80&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The text that Hello comes from says 8080. The image it names, nginxdemos/hello:0.3-plain-text, serves port 80, and containerPort opens nothing, it only says what is there.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0011-a-hellos-containerport-is-80.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0011AHellosContainerportIs80 = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0011AHellosContainerportIs80 as default
};
