import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0006. SIGTERM reaches the module only outside of containers, and in our own image","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0006-sigterm-reaches-the-module-only-outside-of-containers.md","filePath":"docs/explanation/adr/0006-sigterm-reaches-the-module-only-outside-of-containers.md"}');
const _sfc_main = { name: "docs/explanation/adr/0006-sigterm-reaches-the-module-only-outside-of-containers.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0006-sigterm-reaches-the-module-only-outside-of-containers-and-in-our-own-image" tabindex="-1">0006. SIGTERM reaches the module only outside of containers, and in our own image <a class="header-anchor" href="#0006-sigterm-reaches-the-module-only-outside-of-containers-and-in-our-own-image" aria-label="Permalink to &quot;0006. SIGTERM reaches the module only outside of containers, and in our own image&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Pepr&#39;s launcher (<code>controller.js</code>) forwards no signal, and as PID 1 of a container it ignores SIGTERM itself. So a watcher pod that is replaced is killed after its grace of 5 s, and the next one waits until the Lease has expired (15 s). The handler (no new work, syncs under way finished, Lease released, &quot;shutdown completed&quot;) works where the signal arrives: it is tested by sending it to the module&#39;s own process. Nothing depends on it. In our own image (<code>npm run image</code>) the module is the container&#39;s one process, and hears it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0006-sigterm-reaches-the-module-only-outside-of-containers.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0006SigtermReachesTheModuleOnlyOutsideOfContainers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0006SigtermReachesTheModuleOnlyOutsideOfContainers as default
};
