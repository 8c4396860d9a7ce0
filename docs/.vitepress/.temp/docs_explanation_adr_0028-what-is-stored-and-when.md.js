import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0028. What is stored, and when","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0028-what-is-stored-and-when.md","filePath":"docs/explanation/adr/0028-what-is-stored-and-when.md"}');
const _sfc_main = { name: "docs/explanation/adr/0028-what-is-stored-and-when.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0028-what-is-stored-and-when" tabindex="-1">0028. What is stored, and when <a class="header-anchor" href="#0028-what-is-stored-and-when" aria-label="Permalink to &quot;0028. What is stored, and when&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>In memory only those recommendations are kept that can still be the highest or lowest of a window. The ConfigMap is written at once after a scaling or a higher recommendation, after a minute when recommendations fell, and every five minutes; where <code>behavior.scaleUp</code> has a window also at once after a lower one, and after a minute when they rose. (With load that moves by 30 % that is 45 writes an hour where each changed recommendation would be 187, counted once, by hand, on 2026-11-21; no command repeats it. With steady load it is 12.) What was recommended is taken to have held until the next write was due. So a restart never makes a scale-down sooner, nor a scale-up that waits for a window, and may make either five minutes later. A scale-up of ours that was lost (a kill within milliseconds of the write) is not made good as an event of a policy: a human&#39;s would count as ours then, and let a policy remove more.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0028-what-is-stored-and-when.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0028WhatIsStoredAndWhen = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0028WhatIsStoredAndWhen as default
};
