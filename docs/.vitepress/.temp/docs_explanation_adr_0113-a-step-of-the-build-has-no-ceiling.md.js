import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0113. A step of the build has no ceiling","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0113-a-step-of-the-build-has-no-ceiling.md","filePath":"docs/explanation/adr/0113-a-step-of-the-build-has-no-ceiling.md"}');
const _sfc_main = { name: "docs/explanation/adr/0113-a-step-of-the-build-has-no-ceiling.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0113-a-step-of-the-build-has-no-ceiling" tabindex="-1">0113. A step of the build has no ceiling <a class="header-anchor" href="#0113-a-step-of-the-build-has-no-ceiling" aria-label="Permalink to &quot;0113. A step of the build has no ceiling&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm run build</code> no longer lints, but its steps still ended after 600 s. Now they take any time and say each minute that they run, so that a hang is seen (<code>pepr build</code> took 67 s here beside other work).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0113-a-step-of-the-build-has-no-ceiling.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0113AStepOfTheBuildHasNoCeiling = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0113AStepOfTheBuildHasNoCeiling as default
};
