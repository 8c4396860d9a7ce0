import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0118. Property tests draw from the seed of the commit","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0118-property-tests-draw-from-the-seed-of-the-commit.md","filePath":"docs/explanation/adr/0118-property-tests-draw-from-the-seed-of-the-commit.md"}');
const _sfc_main = { name: "docs/explanation/adr/0118-property-tests-draw-from-the-seed-of-the-commit.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0118-property-tests-draw-from-the-seed-of-the-commit" tabindex="-1">0118. Property tests draw from the seed of the commit <a class="header-anchor" href="#0118-property-tests-draw-from-the-seed-of-the-commit" aria-label="Permalink to &quot;0118. Property tests draw from the seed of the commit&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Two of three landings failed by a property that met its first counterexample in the run that was to land it (a fair queue with five places; a Quantity &quot;.&quot;). fast-check, the fuzz and the corpus of the end-to-end tests take their seed from the commit&#39;s hash now, as the simulation does: a commit is green or red for good. MLSCALER_SEED sets another one; <code>npm run test:long</code> draws in each run.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0118-property-tests-draw-from-the-seed-of-the-commit.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0118PropertyTestsDrawFromTheSeedOfTheCommit = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0118PropertyTestsDrawFromTheSeedOfTheCommit as default
};
