import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0057. What a generated corpus may disagree in","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0057-what-a-generated-corpus-may-disagree.md","filePath":"docs/explanation/adr/0057-what-a-generated-corpus-may-disagree.md"}');
const _sfc_main = { name: "docs/explanation/adr/0057-what-a-generated-corpus-may-disagree.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0057-what-a-generated-corpus-may-disagree-in" tabindex="-1">0057. What a generated corpus may disagree in <a class="header-anchor" href="#0057-what-a-generated-corpus-may-disagree-in" aria-label="Permalink to &quot;0057. What a generated corpus may disagree in&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>test/corpus.ts</code> makes objects from the zod schemas and the rules alone (a new field or rule is in it without being named there), and the API server, from the CRDs, has to judge each as zod and as <code>mlscaler validate</code> do: 1,000 of them in <code>npm run test:e2e -- corpus</code>, 5,000 in <code>npm run test:long -- corpus</code>, others each time. Known differences:</p><ul><li>A field that is there twice: a parser of JSON takes the last one, the API server (strict, as kubectl asks it to be) refuses. <code>mlscaler validate</code> does too.</li><li>An integer written as 5.0 or 1e1: kubectl sends 5 and 10, and both take it. In a body of JSON of one&#39;s own the API server refuses it wherever a rule stands (&quot;expected int, got float64&quot;), and nobody who reads JSON in JavaScript can tell 5.0 from 5. The corpus has none of these. (The design had them pass; with 5,000 objects, of which 2,273 were accepted, these 72 were the only difference. They took 129 s.)</li><li>Names of objects are checked by the API server before admission is asked. <code>mlscaler validate</code> checks them, the webhook need not.</li></ul><p>White space in patterns is written as Unicode classes, which RE2 and JavaScript read alike; <code>\\s</code> is ASCII in the one and Unicode in the other, and so is <code>trim</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0057-what-a-generated-corpus-may-disagree.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0057WhatAGeneratedCorpusMayDisagree = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0057WhatAGeneratedCorpusMayDisagree as default
};
