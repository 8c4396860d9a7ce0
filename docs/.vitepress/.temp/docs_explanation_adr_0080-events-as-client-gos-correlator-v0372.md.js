import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0080. Events as client-go's correlator, v0.37.2","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0080-events-as-client-gos-correlator-v0372.md","filePath":"docs/explanation/adr/0080-events-as-client-gos-correlator-v0372.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0080-events-as-client-gos-correlator-v0372.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0080-events-as-client-gos-correlator-v0372" tabindex="-1">0080. Events as client-go&#39;s correlator, v0.37.2 <a class="header-anchor" href="#0080-events-as-client-gos-correlator-v0372" aria-label="Permalink to &quot;0080. Events as client-go&#39;s correlator, v0.37.2&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The bucket is by object and type: 0.37 added the type to <code>getSpamKey</code>, so warnings do not starve SuccessfulRescale there either. Added to its rules: an equal event within a minute is counted and not written, so the burst lasts; and of ten texts the first nine keep their Events (client-go drops one of them at random). A silent metrics-server for an hour costs an object 36 writes of Events and one of the status (simulated, 10 MLScalers). Messages of a silence are one text, whether a request timed out or was not sent. Conditions other than True, without ForecastReady, are compared without the words that have a digit: an adapter whose errors have request ids cost 241 status writes an hour and object, now 1. A warning that is only counted is logged at debug.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0080-events-as-client-gos-correlator-v0372.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0080EventsAsClientGosCorrelatorV0372 = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0080EventsAsClientGosCorrelatorV0372 as default
};
