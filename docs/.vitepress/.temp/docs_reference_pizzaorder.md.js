import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"PizzaOrder","description":"","frontmatter":{},"headers":[],"relativePath":"docs/reference/pizzaorder.md","filePath":"docs/reference/pizzaorder.md"}');
const _sfc_main = { name: "docs/reference/pizzaorder.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pizzaorder" tabindex="-1">PizzaOrder <a class="header-anchor" href="#pizzaorder" aria-label="Permalink to &quot;PizzaOrder&quot;">​</a></h1><p><code>pizzeria.example.com/v1</code>, <code>kubectl get pizza</code>: an order, which is logged and reported.</p><table tabindex="0"><thead><tr><th>field</th><th></th></tr></thead><tbody><tr><td><code>size</code></td><td><code>small</code>, <code>medium</code> or <code>large</code></td></tr><tr><td><code>toppings</code></td><td>up to ten different ones</td></tr></tbody></table><p><a href="../../examples/pizzaorder.yaml" target="_blank">examples/pizzaorder.yaml</a> is valid, <a href="../../examples/pizzaorder-invalid.yaml" target="_blank">examples/pizzaorder-invalid.yaml</a> is not.</p><p>The status has <code>phase: Preparing</code> and a <code>message</code>. Each change of the order is one event.</p><p><a href="./../explanation/other-resources.html">What holds for these resources</a> is the same for all of them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/reference/pizzaorder.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const pizzaorder = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  pizzaorder as default
};
