import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0072. Every answer has a size","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0072-every-answer-has-a-size.md","filePath":"docs/explanation/adr/0072-every-answer-has-a-size.md"}');
const _sfc_main = { name: "docs/explanation/adr/0072-every-answer-has-a-size.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0072-every-answer-has-a-size" tabindex="-1">0072. Every answer has a size <a class="header-anchor" href="#0072-every-answer-has-a-size" aria-label="Permalink to &quot;0072. Every answer has a size&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Measured with Node 20 on two busy cores (load 18 to 24): CPU time of the process for one turn (GC threads included), a list of PodMetrics (two containers each):</p><table tabindex="0"><thead><tr><th>answer</th><th>parsed whole: median, p99.9 of a turn</th><th>item by item: median, p99.9</th><th>p99</th></tr></thead><tbody><tr><td>5,000 pods, 1.9 MiB</td><td>35 ms, 74 ms</td><td>3.4 ms, 22 ms (worst of 120 turns)</td><td>15 ms</td></tr><tr><td>40,000 pods, 15.1 MiB</td><td>0 (waiting), 334 ms</td><td>3.4 ms, 35 ms</td><td>13 ms</td></tr></tbody></table><p>(The module&#39;s <code>ListReader</code>, <code>readBody</code> and <code>podUsageSchema</code> against <code>node:http</code> in another process, ten answers each. No command repeats these figures yet.) <code>JSON.parse</code> alone: 10 ms for a vector of 0.8 MiB, 28 ms for 1.7 MiB; a week of minutes as a matrix (0.31 MiB) 1.4 ms, and 1.3 ms for zod; 1.9 MiB 25 ms and 48 ms for zod. From that:</p><ul><li>Lists (16 MiB): <code>ListReader</code> scans the bytes once as they arrive and parses one item at a time; <code>readBody</code> gives the turn back after 5 ms. A pause of pages is not needed for that, so the page size stays 500 and a page above 16 MiB is asked for again with a quarter. An item has at most 8 MiB, as an event of a watch: the API server stores at most 3 MiB, and JSON may be more than its protobuf.</li><li>Objects (2 MiB) are parsed whole: the API server&#39;s small answers are a few kB, a ConfigMap at most 1 MiB of text, which parses fast.</li><li>Prometheus (1 MiB, instant and range): whole, in two turns for a range. 2 MiB, which the issue allows for a query, took 28 ms under load. A week of minutes is a third of it; a range above is asked for in halves.</li><li>All are refused while they come: the connection ends.</li></ul><p>A list of pods that is read without pages (<code>resourceVersion=0</code>, only while the watch of pods is not complete) is under the 16 MiB as well: about 2,000 pods of one target. Above, these syncs fail and lower nothing until the watch is complete.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0072-every-answer-has-a-size.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0072EveryAnswerHasASize = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0072EveryAnswerHasASize as default
};
