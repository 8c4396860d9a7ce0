import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0083. Unreadable is held for as long as it could ask for more","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0083-unreadable-is-held-for-as-long-as-it-could-ask-for-more.md","filePath":"docs/explanation/adr/0083-unreadable-is-held-for-as-long-as-it-could-ask-for-more.md"}');
const _sfc_main = { name: "docs/explanation/adr/0083-unreadable-is-held-for-as-long-as-it-could-ask-for-more.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0083-unreadable-is-held-for-as-long-as-it-could-ask-for-more" tabindex="-1">0083. Unreadable is held for as long as it could ask for more <a class="header-anchor" href="#0083-unreadable-is-held-for-as-long-as-it-could-ask-for-more" aria-label="Permalink to &quot;0083. Unreadable is held for as long as it could ask for more&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>While the state cannot be read nothing is lowered: for the longest window or period of <code>behavior</code>, since stored recommendations and scale events count for no longer, and for ten minutes (the deadline of <code>Replaying</code>) where <code>status.forecast.trusted</code> said that a forecast counted. After that nothing stored could ask for more than an HPA, which stores nothing, would; a hold for ever would let a missing right keep a fleet at its peak. What is never given up is the state itself: nothing is written before it was read. <code>status.forecast</code> keeps the trusted forecast during the hold, so that a second restart knows of it. Days of a load that cannot be read hold only where a forecast was trusted. The sync goes on (before, up to three syncs failed), so scale-ups come at once. What cannot be decoded is copied to a ConfigMap of its own, not to another key of the same one: 215 kB twice and the tails could pass 1 MiB, and a PUT would have to carry it along for ever.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0083-unreadable-is-held-for-as-long-as-it-could-ask-for-more.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0083UnreadableIsHeldForAsLongAsItCouldAskForMore = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0083UnreadableIsHeldForAsLongAsItCouldAskForMore as default
};
