import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"mlscaler","description":"","frontmatter":{},"headers":[],"relativePath":"cli/index.md","filePath":"cli/README.md"}');
const _sfc_main = { name: "cli/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="mlscaler" tabindex="-1">mlscaler <a class="header-anchor" href="#mlscaler" aria-label="Permalink to &quot;mlscaler&quot;">​</a></h1><p>The command line tools of MLScaler, which scales Kubernetes workloads before their load arrives. They need Node 20.19 or newer. Only what reads objects of a cluster needs one.</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mlscaler</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> simulate</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> web.csv</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --capacity</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> 50</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">   # replays a load: what an HPA and an MLScaler would have done</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mlscaler</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> survey</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --prometheus</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> URL</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -A</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">       # ranks the workloads of a cluster by what they would gain</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mlscaler</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> fleet</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -A</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">                         # tells how the MLScalers of a cluster do</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mlscaler</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> validate</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> manifests/</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">              # checks MLScalers as the webhook does, for CI</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mlscaler</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> from-hpa</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> hpa.yaml</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">                # writes the MLScaler of a HorizontalPodAutoscaler</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mlscaler</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> from-keda</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> scaledobject.yaml</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">      # writes the MLScaler of a ScaledObject of KEDA</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">source</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &lt;(</span><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mlscaler</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> completion bash)</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">        # completes commands and options in a shell; zsh and fish likewise</span></span></code></pre></div><p><code>mlscaler COMMAND --help</code> has all options. Licence: Apache-2.0.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("cli/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
