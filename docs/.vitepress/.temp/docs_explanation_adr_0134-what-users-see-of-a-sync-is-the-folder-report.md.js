import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0134. What users see of a sync is the folder report","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0134-what-users-see-of-a-sync-is-the-folder-report.md","filePath":"docs/explanation/adr/0134-what-users-see-of-a-sync-is-the-folder-report.md"}');
const _sfc_main = { name: "docs/explanation/adr/0134-what-users-see-of-a-sync-is-the-folder-report.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0134-what-users-see-of-a-sync-is-the-folder-report" tabindex="-1">0134. What users see of a sync is the folder report <a class="header-anchor" href="#0134-what-users-see-of-a-sync-is-the-folder-report" aria-label="Permalink to &quot;0134. What users see of a sync is the folder report&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A stranger read README and the names of all files, and named the file for each of ten common changes. He was right in seven. He looked for the text of an Event in <code>controller.ts</code>; it was in <code>status.ts</code>. He looked for the list of models in <code>forecasters.ts</code>, beside <code>forecast.ts</code> and <code>forecaster.ts</code>; it was in the last. He looked for the time that history is kept in <code>series.ts</code>. It was in <code>coarse-grid.ts</code>, and once more in <code>forecaster.ts</code>.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>capabilities/mlscaler/report/</code> has what users see of a sync: <code>report.ts</code> (the values of a sync), <code>status.ts</code>, <code>findings.ts</code> (which conditions a report sets), <code>conditions.ts</code> (their descriptions), <code>events.ts</code>, <code>noise.ts</code> (which changes of a status are written) and <code>telemetry.ts</code>. <code>forecast/models.ts</code> has the names of the models and what each is made of. <code>forecast/live-forecasters.ts</code> has the forecasters of all loads. <code>history/retention.ts</code> has the time that history is kept, which the forecaster uses, too.</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><table tabindex="0"><thead><tr><th></th><th>before</th><th>after</th></tr></thead><tbody><tr><td>lines of the longest of these files</td><td>411 (<code>status.ts</code>)</td><td>169 (<code>telemetry.ts</code>)</td></tr><tr><td>files at the top level of <code>capabilities/mlscaler</code></td><td>8</td><td>5</td></tr></tbody></table><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The behaviour and the hashes of all scripted simulations are as before.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0134-what-users-see-of-a-sync-is-the-folder-report.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0134WhatUsersSeeOfASyncIsTheFolderReport = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0134WhatUsersSeeOfASyncIsTheFolderReport as default
};
