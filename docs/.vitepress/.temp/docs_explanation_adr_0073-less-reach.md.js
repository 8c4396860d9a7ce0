import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0073. Less reach","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0073-less-reach.md","filePath":"docs/explanation/adr/0073-less-reach.md"}');
const _sfc_main = { name: "docs/explanation/adr/0073-less-reach.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0073-less-reach" tabindex="-1">0073. Less reach <a class="header-anchor" href="#0073-less-reach" aria-label="Permalink to &quot;0073. Less reach&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>namespaces</code> is a list of names; a selector would need rights on Namespace objects, which the module has not. <code>namespace_label</code> needs a parser: <code>@prometheus-io/lezer-promql</code> (Prometheus&#39; own grammar, with <code>@lezer/lr</code>) costs 25 kB gzip of the bundle (203 → 234 of 300 with this part), is linear and strict (<code>strict: true</code> ends at the first error), and is kept by Prometheus itself. An own tokenizer was the other way: 150 lines, but keywords are contextual in PromQL (a metric may be called <code>on</code>), which is where such code leaks. Three things the grammar alone does not give: a string without its end passes (checked), a comment ends at <code>\\n</code> for the grammar and at <code>\\r</code> for Prometheus (comments are cut out), and <code>offset</code> binds to the whole expression before it (so what follows a selector is read from the text). <code>info()</code> reads series of no selector and is refused. A query that cannot be bound is denied at admission (it cannot become right without a change), an unknown or foreign server is a warning.</p><p>Answers of servers may hold addresses (<code>dial tcp 10.1.2.3:10901</code>): URLs, IP addresses and hosts with ports are cut out of what conditions show; the log has them at debug.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0073-less-reach.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0073LessReach = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0073LessReach as default
};
