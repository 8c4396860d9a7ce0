import { resolve } from "node:path";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";
import { copyLinkedFiles, deadLinks, linksOfRepository } from "./links.mts";
import { mermaidFence } from "./mermaid.mts";
import { sidebarOf } from "./sidebar.mts";

const root = resolve(import.meta.dirname, "../..");

/**
 * The site of all Markdown files of the repository. A link in them is one that works on GitHub: it names a file, and an
 * anchor as GitHub makes it. Dead links fail the build.
 */
export default defineConfig({
  title: "MLScaler",
  description: "Scales Kubernetes workloads before their load arrives",
  // No icon: browsers ask for one.
  head: [["link", { rel: "icon", href: "data:," }]],
  srcDir: root,
  srcExclude: ["dist/**"],
  outDir: resolve(root, "dist/docs"),
  cacheDir: resolve(root, "node_modules/.cache/vitepress"),
  rewrites: id => id.replace(/(^|\/)README\.md$/, "$1index.md"),
  markdown: {
    anchor: { slugify: slug },
    // PromQL and YAML have braces, which are no attributes.
    attrs: { disable: true },
    config: markdown => {
      linksOfRepository(markdown, root);
      mermaidFence(markdown);
    },
  },
  themeConfig: {
    nav: [{ text: "Changelog", link: "/CHANGELOG" }],
    sidebar: sidebarOf(resolve(root, "docs"), ["getting-started", "how-to", "reference", "explanation", "design"]),
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        // Users read pages; design papers are for maintainers.
        miniSearch: { searchOptions: { boostDocument: id => (String(id).includes("/docs/design/") ? 0.1 : 1) } },
      },
    },
  },
  buildEnd: ({ outDir }) => {
    copyLinkedFiles(root, outDir);
    const dead = deadLinks();
    if (dead.length > 0) throw new Error(`links to headings and files that do not exist:\n${dead.join("\n")}`);
  },
});
