import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0058. What is no AdmissionReview never reaches Pepr","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0058-what-is-no-admissionreview-never-reaches-pepr.md","filePath":"docs/explanation/adr/0058-what-is-no-admissionreview-never-reaches-pepr.md"}');
const _sfc_main = { name: "docs/explanation/adr/0058-what-is-no-admissionreview-never-reaches-pepr.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0058-what-is-no-admissionreview-never-reaches-pepr" tabindex="-1">0058. What is no AdmissionReview never reaches Pepr <a class="header-anchor" href="#0058-what-is-no-admissionreview-never-reaches-pepr" aria-label="Permalink to &quot;0058. What is no AdmissionReview never reaches Pepr&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Pepr answers it with &quot;Internal Server Error&quot;, copies objects by recursion, and lets a copied key <code>__proto__</code> become the prototype. So the body is read before Pepr sees it: 4xx and a sentence for what is no review, a denial for an object nested more than 200 deep, of more than 10,000 objects and lists or 100,000 values, or with such a key (150,000 empty objects in a spec kept a pod busy until its liveness probe failed: the copy compares each with all before it). The limit of the body is 6 MiB, where Pepr has 2 MB: an update carries the object twice, and the API server takes 3 MiB for one.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0058-what-is-no-admissionreview-never-reaches-pepr.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0058WhatIsNoAdmissionreviewNeverReachesPepr = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0058WhatIsNoAdmissionreviewNeverReachesPepr as default
};
