import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0029. A period is over half a second early","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0029-a-period-is-over-half-a-second-early.md","filePath":"docs/explanation/adr/0029-a-period-is-over-half-a-second-early.md"}');
const _sfc_main = { name: "docs/explanation/adr/0029-a-period-is-over-half-a-second-early.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0029-a-period-is-over-half-a-second-early" tabindex="-1">0029. A period is over half a second early <a class="header-anchor" href="#0029-a-period-is-over-half-a-second-early" aria-label="Permalink to &quot;0029. A period is over half a second early&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Syncs lie exactly a period apart, by the clock, so that 1,000 of them are spread evenly and a late one is not the next one&#39;s. But a timer is some milliseconds early or late, and a scale event of the last sync then was 14.998 s old: it still counted, and a step of 4, 8, 16 replicas could take two syncs, and <code>Pods 4 / 60 s</code> 75 s. HPA begins its period when a sync ends, so it is always late. Recommendations and events count half a second less than their window or period (a tenth, of those below 5 s). A property of behavior.test.ts holds it: with any jitter of 240 ms the counts are HPA&#39;s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0029-a-period-is-over-half-a-second-early.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0029APeriodIsOverHalfASecondEarly = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0029APeriodIsOverHalfASecondEarly as default
};
