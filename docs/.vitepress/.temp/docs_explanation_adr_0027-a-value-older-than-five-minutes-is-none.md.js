import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0027. A value older than five minutes is none","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0027-a-value-older-than-five-minutes-is-none.md","filePath":"docs/explanation/adr/0027-a-value-older-than-five-minutes-is-none.md"}');
const _sfc_main = { name: "docs/explanation/adr/0027-a-value-older-than-five-minutes-is-none.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0027-a-value-older-than-five-minutes-is-none" tabindex="-1">0027. A value older than five minutes is none <a class="header-anchor" href="#0027-a-value-older-than-five-minutes-is-none" aria-label="Permalink to &quot;0027. A value older than five minutes is none&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>HPA does not look at the time of custom and external metrics. An adapter whose source has stopped may go on serving the last value for ever. Pods with such a value count as pods without a sample, and while one of the target&#39;s own pods has such a value, the metric lowers nothing: HPA would take a pod without a sample for one at its target, and lower the count by what it does not know. For an Object or External metric it is a failed read.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0027-a-value-older-than-five-minutes-is-none.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0027AValueOlderThanFiveMinutesIsNone = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0027AValueOlderThanFiveMinutesIsNone as default
};
