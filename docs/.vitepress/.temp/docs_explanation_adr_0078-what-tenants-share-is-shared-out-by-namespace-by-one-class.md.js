import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0078. What tenants share is shared out by namespace, by one class","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0078-what-tenants-share-is-shared-out-by-namespace-by-one-class.md","filePath":"docs/explanation/adr/0078-what-tenants-share-is-shared-out-by-namespace-by-one-class.md"}');
const _sfc_main = { name: "docs/explanation/adr/0078-what-tenants-share-is-shared-out-by-namespace-by-one-class.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0078-what-tenants-share-is-shared-out-by-namespace-by-one-class" tabindex="-1">0078. What tenants share is shared out by namespace, by one class <a class="header-anchor" href="#0078-what-tenants-share-is-shared-out-by-namespace-by-one-class" aria-label="Permalink to &quot;0078. What tenants share is shared out by namespace, by one class&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>kubernetes/fair-queue.ts</code>: an owner takes a place only while more places are free than it holds (the dynamic threshold of Choudhury and Hahne, 1998). One namespace gets half, <code>n</code> busy ones 1/(n + 1) each, and as much stays free: the reserve needs no number of its own and is lent. Totals were doubled (64 syncs, 64 requests to the API server, 16 queries to a Prometheus server), so that a cluster of one namespace is as fast as before.</p><ul><li>p-queue and p-limit have priorities and no owners; 100 lines of our own.</li><li>The namespace of a request is read from its path, so nothing is passed down. The ConfigMaps of the module share one namespace, its own.</li><li>A place of the scheduler stays held while a sync waits. To release it at each await would need a limit on waiting syncs all the same.</li><li>A time-out begins when a request is sent. A request waits for a place as long at most, and then says that it was not sent, which does not count as a silence.</li><li>Seen before: 200 objects of 5 s each left another namespace 1,000 of 2,000 syncs; now all, with a lag below 1 s.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0078-what-tenants-share-is-shared-out-by-namespace-by-one-class.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0078WhatTenantsShareIsSharedOutByNamespaceByOneClass = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0078WhatTenantsShareIsSharedOutByNamespaceByOneClass as default
};
