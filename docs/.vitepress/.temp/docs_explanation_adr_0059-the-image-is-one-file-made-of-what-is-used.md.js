import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0059. The image is one file, made of what is used","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0059-the-image-is-one-file-made-of-what-is-used.md","filePath":"docs/explanation/adr/0059-the-image-is-one-file-made-of-what-is-used.md"}');
const _sfc_main = { name: "docs/explanation/adr/0059-the-image-is-one-file-made-of-what-is-used.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0059-the-image-is-one-file-made-of-what-is-used" tabindex="-1">0059. The image is one file, made of what is used <a class="header-anchor" href="#0059-the-image-is-one-file-made-of-what-is-used" aria-label="Permalink to &quot;0059. The image is one file, made of what is used&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Pepr&#39;s image has its packages as npm installs them, and most of the idle module&#39;s memory is what they hold that nobody uses: all models and APIs of @kubernetes/client-node, four copies of 2,500 media types, the tables of node-fetch for international host names. Nothing in a module can change that, it is loaded by <code>require(&quot;pepr&quot;)</code>. So our image (<code>npm run image</code>) has no packages: <code>build/image/bundle.ts</code> makes one file of Pepr&#39;s sources, what they need, and <code>build/image/controller.ts</code>, which has the name, the argument and the hash check of Pepr&#39;s launcher but runs the module in its own process. It writes no file either. A module that requires a package which the file does not have is told so at its start.</p><p><code>import * as z from &quot;zod&quot;</code>, not <code>import { z }</code>: of the latter esbuild can leave nothing out, not even the locales of 50 languages. 470 kB of the bundle became 104 (200 kB gzip became 132), and 4 MB of resident memory went. One file with the other import brings all of it back, so eslint refuses it.</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>Tried in vain, on the watcher before a server that only pretends to be an API server, three runs each: <code>MALLOC_ARENA_MAX=2</code> (84 to 100 MB resident with it, 84 to 94 without), collecting garbage 20 s after the start (82 to 93 with it, 82 to 92 without); and, loaded only, two runs each, the parts of undici that are used in place of all of it (73 and 73). Two starts of the same differ by 10 MB.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0059-the-image-is-one-file-made-of-what-is-used.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0059TheImageIsOneFileMadeOfWhatIsUsed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0059TheImageIsOneFileMadeOfWhatIsUsed as default
};
