import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { MarkdownOptions } from "vitepress";

/** The Markdown renderer of VitePress. */
export type MarkdownIt = Parameters<NonNullable<MarkdownOptions["config"]>>[0];
type Token = ReturnType<MarkdownIt["parse"]>[number];

/** The files that are no pages and that a page links to, relative to the repository. */
const files = new Set<string>();
/** The links to files that do not exist: "PAGE: FILE". */
const missing = new Set<string>();
/** The anchors of each page, by its path. */
const anchors = new Map<string, Set<string>>();
/** The links to an anchor: the page with the link, the page with the anchor, and the anchor. */
const references = new Map<string, { from: string; to: string; anchor: string }>();

/**
 * A plugin for links within the repository: a link to a README leads to the page that it becomes, a file that is no
 * page is copied to the site, and a link to a folder is plain text.
 */
export function linksOfRepository(markdown: MarkdownIt, root: string): void {
  markdown.core.ruler.push("links of the repository", ({ tokens, env }) => {
    const { path: from } = env as { path: string };
    anchors.set(
      from,
      new Set(tokens.flatMap(token => (token.type === "heading_open" ? [token.attrGet("id") ?? ""] : []))),
    );
    for (const token of tokens.flatMap(({ children }) => children ?? [])) adapt(token, from, root);
  });
}

function adapt(token: Token, from: string, root: string): void {
  const href = token.type === "link_open" ? token.attrGet("href") : null;
  if (href === null || /^([a-z]+:|\/)/.test(href)) return;
  const [path = "", anchor] = decodeURI(href).split("#");
  const to = path === "" ? from : resolve(dirname(from), path);
  if (anchor !== undefined && to.endsWith(".md")) references.set(`${from} ${href}`, { from, to, anchor });
  // VitePress reports a page that does not exist.
  if (path === "" || (to.endsWith(".md") && !existsSync(to))) return;
  if (!existsSync(to)) missing.add(`${from}: ${to}`);
  else if (statSync(to).isDirectory()) token.attrs = null;
  else if (to.endsWith(".md")) token.attrSet("href", href.replace(/README\.md/, "index.md"));
  else {
    files.add(relative(root, to));
    token.attrSet("target", "_blank");
  }
}

/** Copies the files that pages link to, to the site. Throws when a file cannot be written. */
export function copyLinkedFiles(root: string, site: string): void {
  for (const file of files) {
    mkdirSync(dirname(join(site, file)), { recursive: true });
    copyFileSync(join(root, file), join(site, file));
  }
}

/** The links to headings and files that do not exist: "PAGE: PAGE#anchor". */
export const deadLinks = (): string[] => [
  ...missing,
  ...[...references.values()]
    .filter(({ to, anchor }) => anchors.get(to)?.has(anchor) === false)
    .map(({ from, to, anchor }) => `${from}: ${to}#${anchor}`),
];
