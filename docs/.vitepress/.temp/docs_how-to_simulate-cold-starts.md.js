import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Simulate cold starts","description":"","frontmatter":{},"headers":[],"relativePath":"docs/how-to/simulate-cold-starts.md","filePath":"docs/how-to/simulate-cold-starts.md"}');
const _sfc_main = { name: "docs/how-to/simulate-cold-starts.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="simulate-cold-starts" tabindex="-1">Simulate cold starts <a class="header-anchor" href="#simulate-cold-starts" aria-label="Permalink to &quot;Simulate cold starts&quot;">​</a></h1><p>With <code>min_replicas: 0</code> in the spec, <a href="./simulate.html"><code>mlscaler simulate</code></a> also counts cold starts. A cold start is load that meets no Ready replica.</p><p><a href="../../examples/traces/jobs.csv" target="_blank">A made-up queue</a> fills about 90 minutes after it was empty. <a href="../../examples/mlscaler-queue.yaml" target="_blank">examples/mlscaler-queue.yaml</a> scales its workers, with <code>scale_to_zero: {}</code>.</p><div class="language-console vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">console</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">$ npx mlscaler simulate examples/traces/jobs.csv --spec examples/mlscaler-queue.yaml</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">jobs.csv: 2880 slots of 5 min, judged from 2026-03-09 00:05 to 2026-03-11 23:55 UTC</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">a replica serves 50, its target is 40 (80 %), and it is ready after 3 min; 0 to 20 replicas</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">model auto, 10 min ahead, upper quantile 90 %</span></span>
<span class="line"></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">                      unserved     under-provisioned   replica-hours   actions/day   skill   coverage</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">HPA                    79.88 %   8.90 % (6 h 24 min)   1.51 × oracle          32.4       –          –</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">short form (linear)    79.88 %   8.90 % (6 h 24 min)   1.88 × oracle          44.4   -55 %          –</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">MLScaler                5.43 %       0.58 % (25 min)   3.56 × oracle          31.7    50 %       90 %</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">perfect forecast        0.00 %          0.00 % (0 s)   2.00 × oracle          32.4   100 %      100 %</span></span>
<span class="line"></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">To 0 replicas while the load is at or below 0:</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">                         cold starts   none Ready   cold load   replica-hours   idle   wakes ahead   late   in vain</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">always one replica                 0          0 s      0.00 %            71.9   63.9             0      0         0</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">cool-down 5 min (KEDA)            48   6 h 24 min     79.88 %            12.1    8.1             0     48         0</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">MLScaler                           5       25 min      5.43 %            28.5   20.7            42      5         0</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">perfect                            0          0 s      0.00 %            16.0    8.0            48      0         0</span></span>
<span class="line"></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">The load met no Ready replica in 5 cold starts instead of 48, for 135.9 % more replica-hours.</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">One replica all the time needs 152.3 % more.</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">With the forecast 5.43 % of the load is unserved instead of 79.88 %, for 135.9 % more replica-hours.</span></span></code></pre></div><table tabindex="0"><thead><tr><th>policy</th><th>what it is</th></tr></thead><tbody><tr><td>always one replica</td><td>an HPA with <code>minReplicas: 1</code></td></tr><tr><td>cool-down</td><td>the spec without a forecast: <code>scale_to_zero</code> as KEDA has it; without the block an HPA of Kubernetes 1.37</td></tr><tr><td>MLScaler</td><td>the spec</td></tr><tr><td>perfect</td><td>knows the load to come: it wakes in time, and has no cool-down</td></tr></tbody></table><table tabindex="0"><thead><tr><th>column</th><th>meaning</th></tr></thead><tbody><tr><td>cold starts, none Ready</td><td>how often and how long there was load and no Ready replica</td></tr><tr><td>cold load</td><td>the load of these times, over all load</td></tr><tr><td>replica-hours, idle</td><td>those asked for, ready or not; those without load</td></tr><tr><td>wakes ahead</td><td>wakes from 0 whose first load met a Ready replica</td></tr><tr><td>late</td><td>wakes after load that met none</td></tr><tr><td>in vain</td><td>wakes that met no load until the target was at 0 again</td></tr></tbody></table><p><code>--json</code> has the same under <code>zero</code>, and <a href="./simulate-report.html">the report</a> marks each wake.</p><h2 id="what-it-assumes" tabindex="-1">What it assumes <a class="header-anchor" href="#what-it-assumes" aria-label="Permalink to &quot;What it assumes&quot;">​</a></h2><ul><li>The trace is the load of the metric, and that of the first activation as well. A note says so when <code>activation</code> is in the spec, because its <code>threshold</code> then is one of the trace.</li><li>The load of a slot is known when the slot is over. So on slots of five minutes every policy wakes up to five minutes later than in a cluster.</li><li>A note says when the load is never at or below the threshold.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/how-to/simulate-cold-starts.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const simulateColdStarts = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  simulateColdStarts as default
};
