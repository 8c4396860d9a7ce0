import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0122. An upgrade is tested from files of an earlier build","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0122-an-upgrade-is-tested-from-files-of-an-earlier-build.md","filePath":"docs/explanation/adr/0122-an-upgrade-is-tested-from-files-of-an-earlier-build.md"}');
const _sfc_main = { name: "docs/explanation/adr/0122-an-upgrade-is-tested-from-files-of-an-earlier-build.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0122-an-upgrade-is-tested-from-files-of-an-earlier-build" tabindex="-1">0122. An upgrade is tested from files of an earlier build <a class="header-anchor" href="#0122-an-upgrade-is-tested-from-files-of-an-earlier-build" aria-label="Permalink to &quot;0122. An upgrade is tested from files of an earlier build&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>There is no release yet whose CRDs a test could apply. <code>test/upgrade</code> has the CRDs of the build of 2026-11-22 (commit 64b3ff8), one object for each block of a spec, and a state and a history that its code wrote. All are read by the current version. The files never change; a release that changes a CRD or a stored form adds others.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0122-an-upgrade-is-tested-from-files-of-an-earlier-build.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0122AnUpgradeIsTestedFromFilesOfAnEarlierBuild = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0122AnUpgradeIsTestedFromFilesOfAnEarlierBuild as default
};
