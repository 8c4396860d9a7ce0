import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0082. A write names what it replaces, and a state names the term of its writer","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0082-a-write-names-what-it-replaces-and-a-state-names-the-term.md","filePath":"docs/explanation/adr/0082-a-write-names-what-it-replaces-and-a-state-names-the-term.md"}');
const _sfc_main = { name: "docs/explanation/adr/0082-a-write-names-what-it-replaces-and-a-state-names-the-term.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0082-a-write-names-what-it-replaces-and-a-state-names-the-term-of-its-writer" tabindex="-1">0082. A write names what it replaces, and a state names the term of its writer <a class="header-anchor" href="#0082-a-write-names-what-it-replaces-and-a-state-names-the-term-of-its-writer" aria-label="Permalink to &quot;0082. A write names what it replaces, and a state names the term of its writer&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A PUT without a resourceVersion let the late write of a former leader replace the newer state. Each write of a ConfigMap now carries the version that this process last read or wrote (POST where it knows of none); after a 409 the ConfigMap is read again at the next sync and added to the memory, because the other writer saw things, too. The term is the Lease&#39;s <code>leaseTransitions</code> + 1, read from the Lease itself: a counter of the process missed a term when the answer to the taking PUT was lost. A state of a newer term ends the sync (NotLeading). A Lease that was deleted begins its count anew, so that a process that still holds the Lease 15 s later (longer than it can hold it unknowingly) takes the stored term for an older one. Rejected: the resourceVersion of the Lease as the term (the renewing process cannot know it after a lost answer), and epoch seconds (a clock).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0082-a-write-names-what-it-replaces-and-a-state-names-the-term.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0082AWriteNamesWhatItReplacesAndAStateNamesTheTerm = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0082AWriteNamesWhatItReplacesAndAStateNamesTheTerm as default
};
