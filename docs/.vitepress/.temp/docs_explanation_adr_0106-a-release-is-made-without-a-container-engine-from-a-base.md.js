import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0106. A release is made without a container engine, from a base in a file","description":"","frontmatter":{},"headers":[],"relativePath":"docs/explanation/adr/0106-a-release-is-made-without-a-container-engine-from-a-base.md","filePath":"docs/explanation/adr/0106-a-release-is-made-without-a-container-engine-from-a-base.md"}');
const _sfc_main = { name: "docs/explanation/adr/0106-a-release-is-made-without-a-container-engine-from-a-base.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0106-a-release-is-made-without-a-container-engine-from-a-base-in-a-file" tabindex="-1">0106. A release is made without a container engine, from a base in a file <a class="header-anchor" href="#0106-a-release-is-made-without-a-container-engine-from-a-base-in-a-file" aria-label="Permalink to &quot;0106. A release is made without a container engine, from a base in a file&quot;">​</a></h1><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The image of <code>npm run release</code> is the base of each platform with one layer more, an OCI archive that our own code writes (<code>build/release/image.ts</code>, 100 lines, <code>tar-stream</code>). Only two files are added, nothing runs in the build, so amd64 and arm64 need neither an engine nor an emulator, and the bytes are the same each time. podman or <code>docker buildx build</code> would write their own times and histories: two releases of one commit would differ, and nobody could check one by making it again. The base comes by <code>--base</code> (an OCI layout or archive, one platform each or both in one) or from its registry by skopeo, which is no engine and is on GitHub&#39;s runners. A base that is missing ends the release; <code>--skip-image</code> leaves the image out by will, never in silence. The settings of build/image/Dockerfile stand twice; a test compares them.</p><h2 id="figures" tabindex="-1">Figures <a class="header-anchor" href="#figures" aria-label="Permalink to &quot;Figures&quot;">​</a></h2><p>Seen: two runs gave the same SHA256SUMS; 15 s on two busy cores, 5 s of CPU (<code>npm run release -- --version 0.1.0 --base … --base …</code>, bases of 53 MB, archive 107 MB). podman 4.3 loaded the archive under the name of <code>--image</code>, and ran the amd64 image with runc: the watcher starts, and ends in order after SIGTERM. The arm64 image was pulled from the archive (<code>podman pull --arch arm64 oci-archive:…</code>); its Node 22.23.3 ran the module from its file system under qemu-user. <code>skopeo copy --all --preserve-digests</code> takes the archive, so its digest is the one that install.yaml names. The copy from a registry was tried with a stand-in for skopeo only. install.yaml, applied twice with kubectl to a sandbox: three pods ready after 5.9 s, an MLScaler is answered for.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/explanation/adr/0106-a-release-is-made-without-a-container-engine-from-a-base.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0106AReleaseIsMadeWithoutAContainerEngineFromABase = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0106AReleaseIsMadeWithoutAContainerEngineFromABase as default
};
