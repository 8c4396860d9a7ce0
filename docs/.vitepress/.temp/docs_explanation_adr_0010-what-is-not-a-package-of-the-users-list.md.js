import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0010. What is not a package of the user's list","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0010-what-is-not-a-package-of-the-users-list.md","filePath":"docs/explanation/adr/0010-what-is-not-a-package-of-the-users-list.md"}`);
const _sfc_main = { name: "docs/explanation/adr/0010-what-is-not-a-package-of-the-users-list.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0010-what-is-not-a-package-of-the-users-list" tabindex="-1">0010. What is not a package of the user&#39;s list <a class="header-anchor" href="#0010-what-is-not-a-package-of-the-users-list" aria-label="Permalink to &quot;0010. What is not a package of the user&#39;s list&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>@kubernetes/client-node</code> and <code>prom-client</code> come with Pepr, are external to the bundle, and are listed at the versions that Pepr pins. <code>lru-cache</code> is the bound of the Event series.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0010-what-is-not-a-package-of-the-users-list.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0010WhatIsNotAPackageOfTheUsersList = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0010WhatIsNotAPackageOfTheUsersList as default
};
