import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0111. Versions of actions are tags","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0111-versions-of-actions-are-tags.md","filePath":"docs/explanation/adr/0111-versions-of-actions-are-tags.md"}');
const _sfc_main = { name: "docs/explanation/adr/0111-versions-of-actions-are-tags.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0111-versions-of-actions-are-tags" tabindex="-1">0111. Versions of actions are tags <a class="header-anchor" href="#0111-versions-of-actions-are-tags" aria-label="Permalink to &quot;0111. Versions of actions are tags&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The workflows name actions by tag (<code>actions/checkout@v5</code>), not by commit: commits could not be checked from here. Pin them when the repository is on GitHub (Dependabot or Renovate does). actionlint 1.7.12 finds nothing in both workflows; neither was run. The workflow drafts a release, a person publishes it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0111-versions-of-actions-are-tags.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0111VersionsOfActionsAreTags = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0111VersionsOfActionsAreTags as default
};
