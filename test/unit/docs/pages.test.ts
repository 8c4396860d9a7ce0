import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { Page, pagesIn, root } from "./page";

const all = new Map(pagesIn("").map(path => [path, new Page(path)]));
const docs = [...all.values()].filter(({ path }) => path.startsWith("docs/") || dirname(path) === ".");
const readme = new Page("README.md");

const wordsIn = (text: string): number => text.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length;

/** Why a link of a page leads nowhere, or undefined when it leads somewhere. */
function faultOf(page: Page, url: string): string | undefined {
  if (/^[a-z]+:/.test(url)) return undefined;
  const [file = "", anchor] = decodeURI(url).split("#");
  const target = file === "" ? page.path : relative(root, join(root, dirname(page.path), file));
  if (!existsSync(join(root, target))) return `there is no ${target}`;
  if (anchor === undefined) return undefined;
  const anchors = all.get(target)?.anchors;
  return anchors?.has(anchor)
    ? undefined
    : `${target} has no heading #${anchor}, it has ${[...(anchors ?? [])].join(", ")}`;
}

describe("the pages", () => {
  it.each([...all.values()])("$path: each relative link and anchor leads somewhere", page => {
    const { path } = page;
    const faults = page.links.flatMap(({ url, line }) => {
      const fault = faultOf(page, url);
      return fault === undefined ? [] : `${path}:${line}: ${url}: ${fault}`;
    });
    expect(faults).toEqual([]);
  });

  it("have links, and find what leads nowhere", () => {
    expect(readme.links.length).toBeGreaterThan(20);
    expect(faultOf(readme, "docs/nowhere.md")).toBe("there is no docs/nowhere.md");
    expect(faultOf(readme, "docs/README.md#nowhere")).toContain("docs/README.md has no heading #nowhere");
    expect(faultOf(readme, "#nowhere")).toContain("README.md has no heading #nowhere");
  });

  // A generated page is for looking up, and its lines are texts of its sources, such as descriptions of a CRD.
  it.each(docs.filter(({ isGenerated }) => !isGenerated))("$path has at most 200 lines of 120 columns", page => {
    expect(page.lines.length).toBeLessThanOrEqual(200);
    expect(page.longLines(120)).toEqual([]);
  });
});

describe("the pages for users", () => {
  const pages = docs.filter(({ path }) => path.startsWith("docs/") && !path.startsWith("docs/dev/"));
  const byHand = pages.filter(({ isGenerated }) => !isGenerated);

  // Both limits may only fall.
  it("are 35 at most, with 25,000 words at most by hand", () => {
    expect(pages.length).toBeLessThanOrEqual(35);
    expect(byHand.reduce((sum, page) => sum + wordsIn(page.lines.join(" ")), 0)).toBeLessThanOrEqual(25_000);
  });
});

describe("the benchmarks that pages name", () => {
  const source = readFileSync(join(root, "test/bench/index.ts"), "utf8");
  const known = [...source.matchAll(/\.command\("([a-z-]+)"\)/g)].map(([, name]) => name);
  const named = [...all.values()].flatMap(({ path, lines }) =>
    [...lines.join("\n").matchAll(/bench -- ([a-z-]+)/g)].map(([, name]) => ({ path, name })),
  );

  it("exist", () => {
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ name }) => !known.includes(name))).toEqual([]);
  });
});

describe("the design papers", () => {
  const papers = docs.filter(({ path }) => path.startsWith("docs/dev/design/") && !path.endsWith("README.md"));

  it.each(papers)("$path has each section", page => {
    const sections = [
      ...["problem", "goals", "non-goals", "decision", "alternatives-considered"],
      "consequences-and-open-questions",
    ];
    expect([...page.anchors]).toEqual(expect.arrayContaining(sections));
  });

  it.each(papers)("$path has at most 900 words", page => {
    expect(wordsIn(page.lines.join(" "))).toBeLessThanOrEqual(900);
  });
});

describe("README", () => {
  it("has at most 90 lines", () => expect(readme.lines.length).toBeLessThanOrEqual(90));

  it("has no sentence of more than 30 words", () => {
    expect(readme.sentences.length).toBeGreaterThan(30);
    expect(readme.sentences.filter(sentence => wordsIn(sentence) > 30)).toEqual([]);
  });

  it("has no console line of more than 80 columns", () => {
    const blocks = [...readme.lines.join("\n").matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
    expect(blocks).toHaveLength(2);
    expect(blocks.flatMap(block => block.split("\n").filter(line => line.length > 80))).toEqual([]);
  });

  it("names the commands that a newcomer needs", () => {
    const text = readme.lines.join("\n");
    for (const command of ["npm start", "npm test", "npx pepr deploy --yes", "npx mlscaler simulate"])
      expect(text).toContain(`${command}`);
  });
});
