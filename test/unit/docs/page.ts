import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import GithubSlugger from "github-slugger";
import type { Nodes, Root } from "mdast";
import { toString } from "mdast-util-to-string";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { visit } from "unist-util-visit";

export const root = resolve(__dirname, "../../..");

const parser = unified().use(remarkParse).use(remarkGfm);

interface Link {
  url: string;
  line: number;
}

/** A page of Markdown, with what GitHub makes of it. */
export class Page {
  readonly lines: string[];
  readonly #tree: Root;

  /** Throws when the page cannot be read. `path` begins at the root of the repository. */
  constructor(readonly path: string) {
    const text = readFileSync(join(root, path), "utf8");
    this.lines = text.replace(/\n$/, "").split("\n");
    this.#tree = parser.parse(text);
  }

  /** Whether `npm run build` writes the page. */
  get isGenerated(): boolean {
    return this.lines.some(line => line.startsWith("<!-- Generated from "));
  }

  /** The anchors of the headings. */
  get anchors(): Set<string> {
    const slugger = new GithubSlugger();
    const anchors = new Set<string>();
    visit(this.#tree, "heading", heading => void anchors.add(slugger.slug(toString(heading))));
    return anchors;
  }

  /** The addresses of links and images, those in HTML included. */
  get links(): Link[] {
    const links: Link[] = [];
    visit(this.#tree, node => {
      if (node.type === "link" || node.type === "image" || node.type === "definition")
        links.push({ url: node.url, line: lineOf(node) });
      if (node.type === "html")
        for (const [, url = ""] of node.value.matchAll(/\b(?:href|src|srcset)="([^"]*)"/g))
          links.push({ url, line: lineOf(node) });
    });
    return links;
  }

  /**
   * The lines of prose with more than `columns` characters, each with its number. Code, tables, HTML and images are not
   * prose, and the addresses of links do not count.
   */
  longLines(columns: number): string[] {
    const left = new Set<number>();
    visit(this.#tree, ["code", "table", "html", "image"], node => {
      const { start, end } = (node as Nodes).position ?? {};
      for (let line = start?.line ?? 1; line <= (end?.line ?? 0); line++) left.add(line);
    });
    return this.lines.flatMap((line, index) =>
      !left.has(index + 1) && [...line.replace(/\]\([^)]*\)/g, "]")].length > columns ? `${index + 1}: ${line}` : [],
    );
  }

  /** The sentences of paragraphs, items of lists and cells of tables. */
  get sentences(): string[] {
    const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
    const texts: string[] = [];
    visit(this.#tree, ["paragraph", "tableCell"], node => void texts.push(toString(node).replaceAll("\n", " ")));
    return texts.flatMap(text => [...segmenter.segment(text)].map(({ segment }) => segment.trim()));
  }
}

const lineOf = (node: Nodes): number => node.position?.start.line ?? 0;

/** The paths of all pages below `folder`, without those of packages and builds. Throws when it cannot be read. */
export function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    if (["node_modules", "dist", ".git"].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pagesIn(path);
    return entry.isFile() && entry.name.endsWith(".md") ? [path] : [];
  });
}
