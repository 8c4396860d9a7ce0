import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0044. What is raised without metrics counts as recommended","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0044-what-is-raised-without-metrics-counts-as-recommended.md","filePath":"docs/explanation/adr/0044-what-is-raised-without-metrics-counts-as-recommended.md"}');
const _sfc_main = { name: "docs/explanation/adr/0044-what-is-raised-without-metrics-counts-as-recommended.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0044-what-is-raised-without-metrics-counts-as-recommended" tabindex="-1">0044. What is raised without metrics counts as recommended <a class="header-anchor" href="#0044-what-is-raised-without-metrics-counts-as-recommended" aria-label="Permalink to &quot;0044. What is raised without metrics counts as recommended&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The count that Floor or Forecast came to goes into the recommendations of the window. Otherwise metrics that come and go would have the count fall back each time they are there. Syncs that failed are counted in memory: after a restart the threshold is waited for anew.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0044-what-is-raised-without-metrics-counts-as-recommended.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0044WhatIsRaisedWithoutMetricsCountsAsRecommended = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0044WhatIsRaisedWithoutMetricsCountsAsRecommended as default
};
