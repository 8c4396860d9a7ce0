import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0061. Lint is a test, not a step of the build","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0061-lint-is-a-test-not-a-step-of-the-build.md","filePath":"docs/explanation/adr/0061-lint-is-a-test-not-a-step-of-the-build.md"}');
const _sfc_main = { name: "docs/explanation/adr/0061-lint-is-a-test-not-a-step-of-the-build.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0061-lint-is-a-test-not-a-step-of-the-build" tabindex="-1">0061. Lint is a test, not a step of the build <a class="header-anchor" href="#0061-lint-is-a-test-not-a-step-of-the-build" aria-label="Permalink to &quot;0061. Lint is a test, not a step of the build&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm start</code>, the bench and the CLI waited for eslint, prettier and the types of the tests, most of six minutes on a busy machine. <code>npm run lint</code> has them now, and <code>npm test</code> runs it as a test beside the unit tests, so that a fault is counted with the others. What passed is remembered by a digest of all files (0.1 s of CPU time), so a second <code>npm test</code> does not lint again. <code>pepr build</code> lints whatever it finds as well, and fails for nothing that it sees: eslint.config.mjs shows it <code>pepr.ts</code> alone. The whole build takes 23 s of CPU time, lint 137 s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0061-lint-is-a-test-not-a-step-of-the-build.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0061LintIsATestNotAStepOfTheBuild = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0061LintIsATestNotAStepOfTheBuild as default
};
