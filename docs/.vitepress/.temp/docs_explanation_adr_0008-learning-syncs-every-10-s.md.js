import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0008. Learning syncs every 10 s","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0008-learning-syncs-every-10-s.md","filePath":"docs/explanation/adr/0008-learning-syncs-every-10-s.md"}');
const _sfc_main = { name: "docs/explanation/adr/0008-learning-syncs-every-10-s.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0008-learning-syncs-every-10-s" tabindex="-1">0008. Learning syncs every 10 s <a class="header-anchor" href="#0008-learning-syncs-every-10-s" aria-label="Permalink to &quot;0008. Learning syncs every 10 s&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>While there are fewer than <code>history_size</code> samples the load of now decides, so it is looked at more often; the history still takes one sample a step.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0008-learning-syncs-every-10-s.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0008LearningSyncsEvery10S = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0008LearningSyncsEvery10S as default
};
