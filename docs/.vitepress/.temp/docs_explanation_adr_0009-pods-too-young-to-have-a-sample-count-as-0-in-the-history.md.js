import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0009. Pods too young to have a sample count as 0 in the history","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0009-pods-too-young-to-have-a-sample-count-as-0-in-the-history.md","filePath":"docs/explanation/adr/0009-pods-too-young-to-have-a-sample-count-as-0-in-the-history.md"}');
const _sfc_main = { name: "docs/explanation/adr/0009-pods-too-young-to-have-a-sample-count-as-0-in-the-history.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0009-pods-too-young-to-have-a-sample-count-as-0-in-the-history" tabindex="-1">0009. Pods too young to have a sample count as 0 in the history <a class="header-anchor" href="#0009-pods-too-young-to-have-a-sample-count-as-0-in-the-history" aria-label="Permalink to &quot;0009. Pods too young to have a sample count as 0 in the history&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>metrics-server needs two scrapes of a new pod. Counting it as the mean of the others meanwhile, which is right before a scale-down, made every scale-up look like a rise of load (1.32 cores where there were 0.65, with two of four pods sampled), and the line through it asked for more still. Decisions keep both bounds; the history takes what the pods carried.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0009-pods-too-young-to-have-a-sample-count-as-0-in-the-history.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0009PodsTooYoungToHaveASampleCountAs0InTheHistory = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0009PodsTooYoungToHaveASampleCountAs0InTheHistory as default
};
