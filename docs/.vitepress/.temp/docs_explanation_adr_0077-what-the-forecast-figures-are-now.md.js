import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0077. What the forecast figures are now","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0077-what-the-forecast-figures-are-now.md","filePath":"docs/explanation/adr/0077-what-the-forecast-figures-are-now.md"}');
const _sfc_main = { name: "docs/explanation/adr/0077-what-the-forecast-figures-are-now.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0077-what-the-forecast-figures-are-now" tabindex="-1">0077. What the forecast figures are now <a class="header-anchor" href="#0077-what-the-forecast-figures-are-now" aria-label="Permalink to &quot;0077. What the forecast figures are now&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm run bench -- forecast --traces …</code> before and after &quot;no precedent is a gap&quot; (trust is not part of it): MASE h3 0.7653 → 0.7639, h12 0.884 → 0.881, pinball q90 0.2128 → 0.2126, unserved load u = 0.9 0.433 → 0.428, u = 0.8 0.327 → 0.322. By trace, h3: ec2 0.202 → 0.198, NASA 1.263 → 1.269, taxis 0.833 → 0.835, others within 0.001. Unserved load u = 0.9: vm16 0.398 → 0.370, others within 1.5 %; u = 0.8: vm16 0.295 → 0.259, NASA 0.367 → 0.381, others within 3 %. A sync 0.03 ms, the refits of an hour 21 ms (20 before), a replay of four weeks 0.29 s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0077-what-the-forecast-figures-are-now.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0077WhatTheForecastFiguresAreNow = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0077WhatTheForecastFiguresAreNow as default
};
