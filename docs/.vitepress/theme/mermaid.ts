/// <reference lib="dom" />
import type { Mermaid as Library } from "mermaid";
import library from "mermaid/dist/mermaid.min.js?url";
import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, watch } from "vue";

/** The library, once it is loaded. It is a file of its own, so that only pages with a diagram load its 5 MB. */
let loading: Promise<Library> | undefined;

const loaded = (): Promise<Library> =>
  (loading ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = library;
    script.onload = () => done((globalThis as unknown as { mermaid: Library }).mermaid);
    script.onerror = () => fail(new Error(`${library} cannot be loaded`));
    document.head.append(script);
  }));

let diagrams = 0;

/** A diagram of Mermaid in the colours of the page. Its source is shown until it is drawn. */
export const Mermaid = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const { isDark } = useData();
    const source = decodeURIComponent(code);
    const svg = ref("");
    const draw = async (): Promise<void> => {
      const mermaid = await loaded();
      mermaid.initialize({
        startOnLoad: false,
        flowchart: { useMaxWidth: false },
        theme: isDark.value ? "dark" : "default",
      });
      svg.value = (await mermaid.render(`mermaid-${++diagrams}`, source)).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      svg.value === "" ? h("pre", { class: "mermaid" }, source) : h("div", { class: "mermaid", innerHTML: svg.value });
  },
});
