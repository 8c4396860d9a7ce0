import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0101. 500 syncs a second are not reached","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0101-500-syncs-a-second-are-not-reached.md","filePath":"docs/explanation/adr/0101-500-syncs-a-second-are-not-reached.md"}');
const _sfc_main = { name: "docs/explanation/adr/0101-500-syncs-a-second-are-not-reached.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0101-500-syncs-a-second-are-not-reached" tabindex="-1">0101. 500 syncs a second are not reached <a class="header-anchor" href="#0101-500-syncs-a-second-are-not-reached" aria-label="Permalink to &quot;0101. 500 syncs a second are not reached&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm run simulation -- --seed 14,73,23</code>, six runs before and six after, on two cores shared with other work: 200, 256, 237, 199, 214, 262 before (mean 228), 262, 249, 226, 202, 295, 274 after (mean 251). The ranges overlap. One seed in a new process spends about 15 % of its samples in V8&#39;s optimizing compiler, and 20 % in the inline caches and calls of code that is not optimized yet (<code>perf record</code>). To check no spec again that equals the cached one was part of the later runs; it is taken back, because its own gain was not seen and it keeps each spec twice. The same seed again in the same process ran at 320 instead of 264 syncs a second. So a process that runs many seeds is worth more than a cheaper simulator.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0101-500-syncs-a-second-are-not-reached.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0101500SyncsASecondAreNotReached = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0101500SyncsASecondAreNotReached as default
};
