import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0141. A survey is one page, and replays in threads","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0141-a-survey-is-one-page-and-replays-in-threads.md","filePath":"docs/explanation/adr/0141-a-survey-is-one-page-and-replays-in-threads.md"}');
const _sfc_main = { name: "docs/explanation/adr/0141-a-survey-is-one-page-and-replays-in-threads.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0141-a-survey-is-one-page-and-replays-in-threads" tabindex="-1">0141. A survey is one page, and replays in threads <a class="header-anchor" href="#0141-a-survey-is-one-page-and-replays-in-threads" aria-label="Permalink to &quot;0141. A survey is one page, and replays in threads&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A survey of 300 HPAs replays 300 loads, and has a report for each. The CLI is released as one file.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>Worker threads replay, one a core. Their program is a text in the CLI, as the pages are, so that the CLI stays one file.</li><li>Syncs are 60 s apart, or as far as pods take to start where that is less, down to 15 s.</li><li>A replay asks once for the proposal of a slot and a count, because a proposal costs more than a decision.</li><li>The page holds the reports, deflated, and the page of a report once. A click puts both together in a new tab.</li></ul><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>By <code>npm run bench -- survey --count 16</code>, two weeks for each, on two cores that others used at the same time: 62 s of processor time (3.9 s a workload), 305 MB of memory, and a page of 0.8 MB. At 3.9 s, 300 workloads take 1,160 s of processor time, which is 9.7 minutes on two idle cores. The run of 300 itself has not been measured.</p><p>A replay of seven days with syncs of 60 s takes half the time since a proposal is asked for once.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Figures of the survey differ a little from those of <code>simulate</code>, whose syncs are 15 s apart.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0141-a-survey-is-one-page-and-replays-in-threads.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0141ASurveyIsOnePageAndReplaysInThreads = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0141ASurveyIsOnePageAndReplaysInThreads as default
};
