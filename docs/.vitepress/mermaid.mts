import type { MarkdownIt } from "./links.mts";

/** A plugin for code blocks of Mermaid, which the component Mermaid of the theme draws. */
export function mermaidFence(markdown: MarkdownIt): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, options, env, renderer) => {
    const { info, content } = tokens[index] ?? { info: "", content: "" };
    if (info.trim() === "mermaid") return `<Mermaid code="${encodeURIComponent(content)}" />`;
    return fence?.(tokens, index, options, env, renderer) ?? "";
  };
}
