import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0020. The Lease and the watches do not share the pool of connections","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0020-the-lease-and-the-watches-do-not-share-the-pool.md","filePath":"docs/explanation/adr/0020-the-lease-and-the-watches-do-not-share-the-pool.md"}');
const _sfc_main = { name: "docs/explanation/adr/0020-the-lease-and-the-watches-do-not-share-the-pool.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0020-the-lease-and-the-watches-do-not-share-the-pool-of-connections" tabindex="-1">0020. The Lease and the watches do not share the pool of connections <a class="header-anchor" href="#0020-the-lease-and-the-watches-do-not-share-the-pool-of-connections" aria-label="Permalink to &quot;0020. The Lease and the watches do not share the pool of connections&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A burst of Echoes may have hundreds of creations waiting for 32 connections, for seconds when the API server is slow; the renewal of the Lease, which is given up after 4 s, is not to wait behind them. A watch holds its connection for minutes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0020-the-lease-and-the-watches-do-not-share-the-pool.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0020TheLeaseAndTheWatchesDoNotShareThePool = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0020TheLeaseAndTheWatchesDoNotShareThePool as default
};
