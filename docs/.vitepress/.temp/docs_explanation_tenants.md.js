import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"What do tenants share?","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/tenants.md","filePath":"docs/explanation/tenants.md"}');
const _sfc_main = { name: "docs/explanation/tenants.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="what-do-tenants-share" tabindex="-1">What do tenants share? <a class="header-anchor" href="#what-do-tenants-share" aria-label="Permalink to &quot;What do tenants share?&quot;">​</a></h1><table tabindex="0"><thead><tr><th>what</th><th>in all</th><th>one namespace alone</th><th></th></tr></thead><tbody><tr><td>syncs at once</td><td>64</td><td>32</td><td>the next namespace finds a place free, whatever the others wait for</td></tr><tr><td>requests to the API server and the metrics APIs</td><td>64</td><td>32</td><td>without watches and the Lease</td></tr><tr><td>queries to a Prometheus server</td><td>16</td><td>8</td><td>of instant and of range queries</td></tr><tr><td>requests to a server that does not answer</td><td>16</td><td>8</td><td>a metric is asked at each sync until three requests in a row time out, then once every 10 s. A server that answers no request gets 3.2 a second at most</td></tr><tr><td>grids whose history is read from Prometheus</td><td>4</td><td>1</td><td></td></tr><tr><td>Events of an object</td><td></td><td></td><td>of each type (Normal, Warning) 25 writes at once, and then one in 5 min. After nine different texts with one reason, all others share one Event until that reason is quiet for 10 min</td></tr></tbody></table><p>A namespace takes a place only while more places are free than it holds. So <code>n</code> busy namespaces hold 1/(n + 1) of the places each, and as many stay free. A time-out begins when a request is sent. A request that finds no place for as long is not sent, and its error says so.</p><p>In a simulation with 10 MLScalers, metrics-server hung for an hour. An object cost 36 writes of Events and 1 of its status, and the API got 182 requests. In health it gets 960.</p><p>The number of forecasts has a quota, in all and for each namespace: <a href="./../how-to/limit-forecasts.html">limit forecasts</a>. Prometheus servers can be limited to namespaces: <a href="./../how-to/prometheus-servers.html#limit-who-reads-what">name servers</a>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/tenants.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const tenants = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  tenants as default
};
