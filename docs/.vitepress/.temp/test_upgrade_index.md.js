import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"What an upgrade meets","description":"","frontmatter":{},"headers":[],"relativePath":"test/upgrade/index.md","filePath":"test/upgrade/README.md"}');
const _sfc_main = { name: "test/upgrade/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="what-an-upgrade-meets" tabindex="-1">What an upgrade meets <a class="header-anchor" href="#what-an-upgrade-meets" aria-label="Permalink to &quot;What an upgrade meets&quot;">​</a></h1><p>CRDs, objects and stored history of an earlier build of 0.1.0, of 2026-11-22. <code>test/e2e/upgrade.test.ts</code> stores the objects under those CRDs and applies the current ones. <code>test/unit/mlscaler/memory/upgrade.test.ts</code> reads the stored history.</p><p>A release that changes a CRD or a stored form adds a folder of its own; these files never change.</p><table tabindex="0"><thead><tr><th>file</th><th></th></tr></thead><tbody><tr><td><code>crds/</code></td><td><code>dist/install/crds</code></td></tr><tr><td><code>objects.yaml</code></td><td>one object for each block that a spec had</td></tr><tr><td><code>state.json</code></td><td>the state of an MLScaler: loads 1.5, 2.25, a gap and 3, from 2026-11-22 12:00 UTC, every 15 s</td></tr><tr><td><code>history.json</code></td><td>the ConfigMap of a load: slot n of 600, from the same time on, has the load n modulo 288</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("test/upgrade/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
