import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0125. README's picture is drawn by npm run charts, not taken from the report","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0125-readmes-picture-is-drawn-by-npm-run-charts-not-taken-from.md","filePath":"docs/explanation/adr/0125-readmes-picture-is-drawn-by-npm-run-charts-not-taken-from.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0125-readmes-picture-is-drawn-by-npm-run-charts-not-taken-from.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0125-readmes-picture-is-drawn-by-npm-run-charts-not-taken-from-the-report" tabindex="-1">0125. README&#39;s picture is drawn by npm run charts, not taken from the report <a class="header-anchor" href="#0125-readmes-picture-is-drawn-by-npm-run-charts-not-taken-from-the-report" aria-label="Permalink to &quot;0125. README&#39;s picture is drawn by npm run charts, not taken from the report&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An SVG pair, light and dark, of the same engine (<code>build/charts/day.ts</code>, <code>replicas-light.svg</code>, <code>replicas-dark.svg</code>), of a whole day, with the moments of too few replicas of both scalers shaded: the jump that both missed is in it. A screenshot of the report would need a browser to make it again, and would not be sharp on every screen.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0125-readmes-picture-is-drawn-by-npm-run-charts-not-taken-from.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0125ReadmesPictureIsDrawnByNpmRunChartsNotTakenFrom = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0125ReadmesPictureIsDrawnByNpmRunChartsNotTakenFrom as default
};
