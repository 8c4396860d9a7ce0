import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0041. Of windows that overlap each bound is taken by itself","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0041-of-windows-that-overlap-each-bound-is-taken-by-itself.md","filePath":"docs/explanation/adr/0041-of-windows-that-overlap-each-bound-is-taken-by-itself.md"}');
const _sfc_main = { name: "docs/explanation/adr/0041-of-windows-that-overlap-each-bound-is-taken-by-itself.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0041-of-windows-that-overlap-each-bound-is-taken-by-itself" tabindex="-1">0041. Of windows that overlap each bound is taken by itself <a class="header-anchor" href="#0041-of-windows-that-overlap-each-bound-is-taken-by-itself" aria-label="Permalink to &quot;0041. Of windows that overlap each bound is taken by itself&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>KEDA takes the most that any trigger asks for, and so do the windows of <code>schedules</code>: the highest <code>min_replicas</code>, and the highest <code>max_replicas</code>, so that no window gets less than it wants. A window that gives one bound has no say in the other: a cap of the night is not lifted by a window that only asks for three replicas at two o&#39;clock. Where one window asks for more than another one&#39;s cap, what is asked for counts.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0041-of-windows-that-overlap-each-bound-is-taken-by-itself.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0041OfWindowsThatOverlapEachBoundIsTakenByItself = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0041OfWindowsThatOverlapEachBoundIsTakenByItself as default
};
