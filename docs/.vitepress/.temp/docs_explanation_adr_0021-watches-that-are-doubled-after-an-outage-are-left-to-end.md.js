import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0021. Watches that are doubled after an outage are left to end by themselves","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0021-watches-that-are-doubled-after-an-outage-are-left-to-end.md","filePath":"docs/explanation/adr/0021-watches-that-are-doubled-after-an-outage-are-left-to-end.md"}');
const _sfc_main = { name: "docs/explanation/adr/0021-watches-that-are-doubled-after-an-outage-are-left-to-end.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0021-watches-that-are-doubled-after-an-outage-are-left-to-end-by-themselves" tabindex="-1">0021. Watches that are doubled after an outage are left to end by themselves <a class="header-anchor" href="#0021-watches-that-are-doubled-after-an-outage-are-left-to-end-by-themselves" aria-label="Permalink to &quot;0021. Watches that are doubled after an outage are left to end by themselves&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>While etcd is away the API server keeps requests waiting for up to a minute, and Pepr&#39;s watches are begun anew every 5 s: two of a kind may succeed in the end. (Seen after two minutes without etcd, of five kinds none to four, two streams each.) Their events are coalesced by the scheduler. The API server ends every watch after 30 to 60 minutes, and the end of one closes the other: <code>test/long/faults.test.ts</code> has it end them after 1 to 2 minutes and waits until none is left. A longer <code>PEPR_RESYNC_DELAY_SECONDS</code> would make doubles rarer (30 s did not prevent them), and everybody wait as long for a new object to be seen after a mere restart of the API server.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0021-watches-that-are-doubled-after-an-outage-are-left-to-end.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0021WatchesThatAreDoubledAfterAnOutageAreLeftToEnd = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0021WatchesThatAreDoubledAfterAnOutageAreLeftToEnd as default
};
