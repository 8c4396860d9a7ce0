import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0056. Warnings of admission are never denials","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0056-warnings-of-admission-are-never-denials.md","filePath":"docs/explanation/adr/0056-warnings-of-admission-are-never-denials.md"}');
const _sfc_main = { name: "docs/explanation/adr/0056-warnings-of-admission-are-never-denials.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0056-warnings-of-admission-are-never-denials" tabindex="-1">0056. Warnings of admission are never denials <a class="header-anchor" href="#0056-warnings-of-admission-are-never-denials" aria-label="Permalink to &quot;0056. Warnings of admission are never denials&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Of the checks that look at more than one field&#39;s range, none is of something that can never come right: a horizon becomes long enough when pods start faster, a request appears with a LimitRange, a setting without effect gets one with the next edit. What can never work (two targets, an unknown time zone, a cron that is none) is a rule of the schema or of its own admission check. <code>Weekly</code> needs two weeks of history and four are kept, so it needs no check.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0056-warnings-of-admission-are-never-denials.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0056WarningsOfAdmissionAreNeverDenials = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0056WarningsOfAdmissionAreNeverDenials as default
};
