import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0047. 1,000 forecasts may take 500 MB","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0047-1000-forecasts-may-take-500-mb.md","filePath":"docs/explanation/adr/0047-1000-forecasts-may-take-500-mb.md"}');
const _sfc_main = { name: "docs/explanation/adr/0047-1000-forecasts-may-take-500-mb.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0047-1000-forecasts-may-take-500-mb" tabindex="-1">0047. 1,000 forecasts may take 500 MB <a class="header-anchor" href="#0047-1000-forecasts-may-take-500-mb" aria-label="Permalink to &quot;0047. 1,000 forecasts may take 500 MB&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The design has launcher and module stay below 400 MB at 5,000 Deployments and 1,000 MLScalers. They do without forecasts (322 MB resident, <code>test/long/scale.test.ts</code>); with one of four weeks for each they take 454 MB, and the bound is 500 there. A forecaster with its history holds 88 kB (<code>npm run bench -- crowd</code>), so 88 MB of the 132 that come on top are needed, the rest is garbage not collected yet. Resident memory counts Node&#39;s own code twice; charged to the container are 371 MB of the 537 that it may have, and the heap ends at 259 MB, so it is not killed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0047-1000-forecasts-may-take-500-mb.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _00471000ForecastsMayTake500Mb = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _00471000ForecastsMayTake500Mb as default
};
