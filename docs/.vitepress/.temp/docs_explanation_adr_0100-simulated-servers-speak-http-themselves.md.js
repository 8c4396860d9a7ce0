import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0100. Simulated servers speak HTTP themselves","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0100-simulated-servers-speak-http-themselves.md","filePath":"docs/explanation/adr/0100-simulated-servers-speak-http-themselves.md"}');
const _sfc_main = { name: "docs/explanation/adr/0100-simulated-servers-speak-http-themselves.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0100-simulated-servers-speak-http-themselves" tabindex="-1">0100. Simulated servers speak HTTP themselves <a class="header-anchor" href="#0100-simulated-servers-speak-http-themselves" aria-label="Permalink to &quot;0100. Simulated servers speak HTTP themselves&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The simulated hosts used Node&#39;s HTTP server over sockets in memory; now <code>test/simulation/server-end.ts</code> reads requests and writes responses there. The clients are still real: <code>node:https</code> and undici send bytes into a socket and parse the bytes of the answer, so no code of the module is hidden. It reads no chunked request, and throws at one.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0100-simulated-servers-speak-http-themselves.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0100SimulatedServersSpeakHttpThemselves = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0100SimulatedServersSpeakHttpThemselves as default
};
