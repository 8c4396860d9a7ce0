import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0062. The sandbox applies manifests; npx pepr deploy is one test","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0062-the-sandbox-applies-manifests-npx-pepr-deploy-is-one-test.md","filePath":"docs/explanation/adr/0062-the-sandbox-applies-manifests-npx-pepr-deploy-is-one-test.md"}');
const _sfc_main = { name: "docs/explanation/adr/0062-the-sandbox-applies-manifests-npx-pepr-deploy-is-one-test.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0062-the-sandbox-applies-manifests-npx-pepr-deploy-is-one-test" tabindex="-1">0062. The sandbox applies manifests; <code>npx pepr deploy</code> is one test <a class="header-anchor" href="#0062-the-sandbox-applies-manifests-npx-pepr-deploy-is-one-test" aria-label="Permalink to &quot;0062. The sandbox applies manifests; \`npx pepr deploy\` is one test&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npx pepr deploy</code> builds once more, and one sandbox waited for the other: 257 s of a <code>npm test</code> beside other work were that. <code>up</code> applies <code>dist/install</code> and <code>dist/pepr-module-mlscaler.yaml</code>, the README&#39;s second way. test/e2e/sandbox.test.ts deploys by <code>npx pepr deploy --yes</code>, from a clean copy into a new cluster. What else made <code>up</code> faster: it runs from one file (its sources took 1.9 s of CPU to load, the daemon&#39;s as many; now 0.3 s), what does not need each other starts at once, and a pod is probed every 250 ms until it is ready, not after Pepr&#39;s 10 s. <code>npm start</code> had its first row after 75 s and has it after 16 s (two cores, load 3 of others: 5 s until the API server answers, 8.4 s until the module is applied, 14.0 s until its pods are ready, each of them two Node processes that load Pepr).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0062-the-sandbox-applies-manifests-npx-pepr-deploy-is-one-test.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0062TheSandboxAppliesManifestsNpxPeprDeployIsOneTest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0062TheSandboxAppliesManifestsNpxPeprDeployIsOneTest as default
};
