import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0052. What stands back says that it does not know","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0052-what-stands-back-says-that-it-does-not-know.md","filePath":"docs/explanation/adr/0052-what-stands-back-says-that-it-does-not-know.md"}');
const _sfc_main = { name: "docs/explanation/adr/0052-what-stands-back-says-that-it-does-not-know.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0052-what-stands-back-says-that-it-does-not-know" tabindex="-1">0052. What stands back says that it does not know <a class="header-anchor" href="#0052-what-stands-back-says-that-it-does-not-know" aria-label="Permalink to &quot;0052. What stands back says that it does not know&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>While another acts on the target, nothing is read. <code>ScalingActive</code> is then False, <code>ScalingLimited</code> and <code>ForecastReady</code> are Unknown, all with <code>AmbiguousTarget</code>: an HPA would leave them as they were, and they would go on saying what is no longer so.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0052-what-stands-back-says-that-it-does-not-know.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0052WhatStandsBackSaysThatItDoesNotKnow = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0052WhatStandsBackSaysThatItDoesNotKnow as default
};
