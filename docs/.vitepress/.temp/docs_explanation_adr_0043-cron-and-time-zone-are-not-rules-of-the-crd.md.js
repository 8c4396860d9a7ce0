import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0043. cron and time zone are not rules of the CRD","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0043-cron-and-time-zone-are-not-rules-of-the-crd.md","filePath":"docs/explanation/adr/0043-cron-and-time-zone-are-not-rules-of-the-crd.md"}');
const _sfc_main = { name: "docs/explanation/adr/0043-cron-and-time-zone-are-not-rules-of-the-crd.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0043-cron-and-time-zone-are-not-rules-of-the-crd" tabindex="-1">0043. cron and time zone are not rules of the CRD <a class="header-anchor" href="#0043-cron-and-time-zone-are-not-rules-of-the-crd" aria-label="Permalink to &quot;0043. cron and time zone are not rules of the CRD&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>CEL has neither. A time zone could be tried with <code>getHours(zone)</code>, which fails with an error of CEL&#39;s own instead of a message. So the CRD asks for five fields and the form of a name, and the webhook for the rest; what got past it must not stop the rest of the spec, so it is a condition, and not a fault of <code>checkSpec</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0043-cron-and-time-zone-are-not-rules-of-the-crd.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0043CronAndTimeZoneAreNotRulesOfTheCrd = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0043CronAndTimeZoneAreNotRulesOfTheCrd as default
};
