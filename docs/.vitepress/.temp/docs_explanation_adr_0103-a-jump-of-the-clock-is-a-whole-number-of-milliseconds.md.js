import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0103. A jump of the clock is a whole number of milliseconds","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0103-a-jump-of-the-clock-is-a-whole-number-of-milliseconds.md","filePath":"docs/explanation/adr/0103-a-jump-of-the-clock-is-a-whole-number-of-milliseconds.md"}');
const _sfc_main = { name: "docs/explanation/adr/0103-a-jump-of-the-clock-is-a-whole-number-of-milliseconds.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0103-a-jump-of-the-clock-is-a-whole-number-of-milliseconds" tabindex="-1">0103. A jump of the clock is a whole number of milliseconds <a class="header-anchor" href="#0103-a-jump-of-the-clock-is-a-whole-number-of-milliseconds" aria-label="Permalink to &quot;0103. A jump of the clock is a whole number of milliseconds&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The store moved the times of decisions by <code>Date.now() - performance.now()</code>, which has fractions. The state was then stored with fractions, and the schema of a stored state demands integers: after a restart it could not be decoded, and was lost. Seed 17 showed it as soon as stored states were decoded at each write. The jump is rounded.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0103-a-jump-of-the-clock-is-a-whole-number-of-milliseconds.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0103AJumpOfTheClockIsAWholeNumberOfMilliseconds = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0103AJumpOfTheClockIsAWholeNumberOfMilliseconds as default
};
