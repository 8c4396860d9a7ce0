import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0002. What a sync reads of its own","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0002-what-a-sync-reads-of-its-own.md","filePath":"docs/explanation/adr/0002-what-a-sync-reads-of-its-own.md"}');
const _sfc_main = { name: "docs/explanation/adr/0002-what-a-sync-reads-of-its-own.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0002-what-a-sync-reads-of-its-own" tabindex="-1">0002. What a sync reads of its own <a class="header-anchor" href="#0002-what-a-sync-reads-of-its-own" aria-label="Permalink to &quot;0002. What a sync reads of its own&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>One sync of an MLScaler reads the target&#39;s scale, for the resourceVersion that it writes with; what else it needs is known from watches.</p><ul><li>Pods: one watch of all pods, from the first target on, that keeps of each what HPA&#39;s rules look at (phase, readiness, requests, labels). A list at every sync was what cost the API server most. While that watch is broken, or a selector asks for more than that labels have values, pods are listed as before.</li><li>The MLScaler: what Pepr&#39;s watch told of it, or the answer to our own write, counts for 60 s; after that, after any failure, and when a full pass missed it, it is read. A watch may break unheard, so it is not trusted for longer.</li><li>Deployments: by metadata only. 4,000 whole Deployments took one watcher from 161 to 509 MB.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0002-what-a-sync-reads-of-its-own.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0002WhatASyncReadsOfItsOwn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0002WhatASyncReadsOfItsOwn as default
};
