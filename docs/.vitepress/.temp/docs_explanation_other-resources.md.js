import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"How do the other resources behave?","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/other-resources.md","filePath":"docs/explanation/other-resources.md"}');
const _sfc_main = { name: "docs/explanation/other-resources.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="how-do-the-other-resources-behave" tabindex="-1">How do the other resources behave? <a class="header-anchor" href="#how-do-the-other-resources-behave" aria-label="Permalink to &quot;How do the other resources behave?&quot;">​</a></h1><p>Four smaller resources come with MLScaler: <a href="./../reference/easyservice.html">EasyService</a>, <a href="./../reference/hello.html">Hello</a>, <a href="./../reference/echo.html">Echo</a> and <a href="./../reference/pizzaorder.html">PizzaOrder</a>. <code>npm start -- --example hello</code> shows one at work. The <a href="./../how-to/install-with-helm.html">Helm chart</a> leaves them out unless they are enabled. <a href="./../how-to/install-with-pepr.html#leave-out-resources">Install with Pepr</a> says how to build the module without them.</p><p>EasyService, Hello and Echo have a scale subresource: <code>kubectl scale</code>, an HPA or an MLScaler can scale them.</p><p>This holds for all four:</p><ul><li>An invalid spec is refused by the API server, from the CRD, and by the webhook, with the same words.</li><li>Each reconcile reads what there is, compares and repairs. What somebody deleted is created again, and a field that the resource decides is put back when somebody edits it. Other fields, such as an annotation, are left to whoever sets them.</li><li>What was made for a resource has it as its controller and goes away with it.</li><li>An object of the same name that belongs to somebody else is never touched. It is a condition and a Warning event <code>NameTaken</code>.</li><li><code>kubectl wait --for=condition=Ready</code> works.</li><li>A spec that got past admission all the same is a Warning event <code>InvalidSpec</code>, and nothing is changed because of it.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/other-resources.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const otherResources = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  otherResources as default
};
