import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0105. A lowering is judged by the status of the process that lowered","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0105-a-lowering-is-judged-by-the-status-of-the-process-that.md","filePath":"docs/explanation/adr/0105-a-lowering-is-judged-by-the-status-of-the-process-that.md"}');
const _sfc_main = { name: "docs/explanation/adr/0105-a-lowering-is-judged-by-the-status-of-the-process-that.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0105-a-lowering-is-judged-by-the-status-of-the-process-that-lowered" tabindex="-1">0105. A lowering is judged by the status of the process that lowered <a class="header-anchor" href="#0105-a-lowering-is-judged-by-the-status-of-the-process-that-lowered" aria-label="Permalink to &quot;0105. A lowering is judged by the status of the process that lowered&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>In seed 3007 a process lowered a count with a trusted forecast in hand, and was killed before it wrote its status. The first status of its successor said Replaying, and the check took it for the knowledge of the first process. The check now leaves out a lowering whose process wrote no status after it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0105-a-lowering-is-judged-by-the-status-of-the-process-that.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0105ALoweringIsJudgedByTheStatusOfTheProcessThat = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0105ALoweringIsJudgedByTheStatusOfTheProcessThat as default
};
