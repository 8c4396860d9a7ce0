import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0089. Our image has no PeprStore","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0089-our-image-has-no-peprstore.md","filePath":"docs/explanation/adr/0089-our-image-has-no-peprstore.md"}');
const _sfc_main = { name: "docs/explanation/adr/0089-our-image-has-no-peprstore.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0089-our-image-has-no-peprstore" tabindex="-1">0089. Our image has no PeprStore <a class="header-anchor" href="#0089-our-image-has-no-peprstore" aria-label="Permalink to &quot;0089. Our image has no PeprStore&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Pepr&#39;s StoreController reads and writes a PeprStore in <code>pepr-system</code>, a constant in its code, and serves nothing (healthz 404, webhook unbound) until that store is there. No capability of the module uses the store. So the build of our image puts <code>build/image/store.ts</code> in its place: a store that is ready at once. The image then runs in any namespace, needs no right on CRDs and PeprStores, and starts without Pepr&#39;s wait of 0 to 3 s (jitter): on the sandbox <code>helm install --wait</code> took 5.6 s, from nothing to three ready pods. With Pepr&#39;s own image nothing changes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0089-our-image-has-no-peprstore.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0089OurImageHasNoPeprstore = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0089OurImageHasNoPeprstore as default
};
