import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0014. Echo's pods are known from a watch by label, and from the answers to our own writes","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0014-echos-pods-are-known-from-a-watch-by-label-and-from.md","filePath":"docs/explanation/adr/0014-echos-pods-are-known-from-a-watch-by-label-and-from.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0014-echos-pods-are-known-from-a-watch-by-label-and-from.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0014-echos-pods-are-known-from-a-watch-by-label-and-from-the-answers-to-our-own-writes" tabindex="-1">0014. Echo&#39;s pods are known from a watch by label, and from the answers to our own writes <a class="header-anchor" href="#0014-echos-pods-are-known-from-a-watch-by-label-and-from-the-answers-to-our-own-writes" aria-label="Permalink to &quot;0014. Echo&#39;s pods are known from a watch by label, and from the answers to our own writes&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A LIST at each sync from the API server&#39;s cache (resourceVersion 0) may not show yet what the sync before created, and a consistent LIST waits up to 100 ms for the cache to catch up. So one watch keeps a summary of the pods (some 300 bytes each), the answers to creations and deletions are noted at once, and what the watch tells late is told apart by resourceVersion. A pod that left the watch without having been deleted has lost its labels and is looked at by name.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0014-echos-pods-are-known-from-a-watch-by-label-and-from.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0014EchosPodsAreKnownFromAWatchByLabelAndFrom = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0014EchosPodsAreKnownFromAWatchByLabelAndFrom as default
};
