import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0007. Pepr's own SIGTERM handler is removed in the watcher","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0007-peprs-own-sigterm-handler-is-removed-in-the-watcher.md","filePath":"docs/explanation/adr/0007-peprs-own-sigterm-handler-is-removed-in-the-watcher.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0007-peprs-own-sigterm-handler-is-removed-in-the-watcher.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0007-peprs-own-sigterm-handler-is-removed-in-the-watcher" tabindex="-1">0007. Pepr&#39;s own SIGTERM handler is removed in the watcher <a class="header-anchor" href="#0007-peprs-own-sigterm-handler-is-removed-in-the-watcher" aria-label="Permalink to &quot;0007. Pepr&#39;s own SIGTERM handler is removed in the watcher&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>It ends the process as soon as the HTTPS server is closed, which is before the Lease is released.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0007-peprs-own-sigterm-handler-is-removed-in-the-watcher.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0007PeprsOwnSigtermHandlerIsRemovedInTheWatcher = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0007PeprsOwnSigtermHandlerIsRemovedInTheWatcher as default
};
