import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0042. A window is found with one question","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0042-a-window-is-found-with-one-question.md","filePath":"docs/explanation/adr/0042-a-window-is-found-with-one-question.md"}');
const _sfc_main = { name: "docs/explanation/adr/0042-a-window-is-found-with-one-question.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0042-a-window-is-found-with-one-question" tabindex="-1">0042. A window is found with one question <a class="header-anchor" href="#0042-a-window-is-found-with-one-question" aria-label="Permalink to &quot;0042. A window is found with one question&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The first time that its cron has after <code>now - duration</code> is its beginning if it is not after <code>now</code>, else the next one (scaling/schedule.ts). So nothing is remembered, a restart or a clock that was put back changes nothing, and only the forward search of croner is used (11.0.1, 10 kB gzip): 0.08 ms for each schedule and sync. An expression that never comes takes it up to 36 ms to see (once, by hand, on 2026-11-22; no command repeats it), so what was read of an expression is kept, a thousand of them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0042-a-window-is-found-with-one-question.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0042AWindowIsFoundWithOneQuestion = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0042AWindowIsFoundWithOneQuestion as default
};
