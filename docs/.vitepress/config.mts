import { resolve } from "node:path";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";
import { copyLinkedFiles, deadLinks, linksOfRepository } from "./links.mts";
import { mermaidFence } from "./mermaid.mts";
import { sidebarOf } from "./sidebar.mts";

const root = resolve(import.meta.dirname, "../..");

/** Whether the search finds a page: those of `docs/dev` and `test` are for maintainers. */
const isForUsers = ({ relativePath }: { relativePath: string }): boolean => !/^(docs\/dev|test)\//.test(relativePath);

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
      // Vue takes braces for an expression, also in code.
      markdown.renderer.rules.code_inline = (tokens, index) =>
        `<code v-pre>${markdown.utils.escapeHtml(tokens[index]?.content ?? "")}</code>`;
    },
  },
  themeConfig: {
    nav: [{ text: "Changelog", link: "/CHANGELOG" }],
    sidebar: sidebarOf(resolve(root, "docs"), ["getting-started", "how-to", "explanation", "reference", "dev"]),
    outline: [2, 3],
    search: {
      provider: "local",
      options: { _render: (text, env, markdown) => (isForUsers(env) ? markdown.render(text, env) : "") },
    },
  },
  buildEnd: ({ outDir }) => {
    copyLinkedFiles(root, outDir);
    const dead = deadLinks();
    if (dead.length > 0) throw new Error(`links to headings and files that do not exist:\n${dead.join("\n")}`);
  },
});
