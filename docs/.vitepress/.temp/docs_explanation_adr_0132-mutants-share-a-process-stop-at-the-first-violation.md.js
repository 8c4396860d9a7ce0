import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0132. Mutants share a process, stop at the first violation, and begin with the seed that killed them","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0132-mutants-share-a-process-stop-at-the-first-violation.md","filePath":"docs/explanation/adr/0132-mutants-share-a-process-stop-at-the-first-violation.md"}');
const _sfc_main = { name: "docs/explanation/adr/0132-mutants-share-a-process-stop-at-the-first-violation.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0132-mutants-share-a-process-stop-at-the-first-violation-and-begin-with-the-seed-that-killed-them" tabindex="-1">0132. Mutants share a process, stop at the first violation, and begin with the seed that killed them <a class="header-anchor" href="#0132-mutants-share-a-process-stop-at-the-first-violation-and-begin-with-the-seed-that-killed-them" aria-label="Permalink to &quot;0132. Mutants share a process, stop at the first violation, and begin with the seed that killed them&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>What: one esbuild context per process bundles only the changed files again; <code>deaths.json</code> keeps the seed of each death. Why: a bundle of its own took 4 to 5 s for each of 195 mutants on the shared machine, and a dead mutant ran its seed to the end.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0132-mutants-share-a-process-stop-at-the-first-violation.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0132MutantsShareAProcessStopAtTheFirstViolation = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0132MutantsShareAProcessStopAtTheFirstViolation as default
};
