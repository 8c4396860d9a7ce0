import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { DefaultTheme } from "vitepress";
import { parse } from "yaml";

/** A page or a folder, with its place among its neighbours. */
interface Entry {
  order: number;
  name: string;
  item: DefaultTheme.SidebarItem;
}

/** A group for each of `folders` of `docs` that exists. Pages are in the order of `order` in their front matter. */
export const sidebarOf = (docs: string, folders: string[]): DefaultTheme.SidebarItem[] =>
  folders
    .filter(folder => existsSync(join(docs, folder)))
    .map(folder => ({ text: titleOf(folder), items: itemsOf(join(docs, folder), `/docs/${folder}`) }));

function itemsOf(folder: string, link: string): DefaultTheme.SidebarItem[] {
  const entries = readdirSync(folder, { withFileTypes: true }).flatMap((entry): Entry[] => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const items = itemsOf(path, `${link}/${entry.name}`);
      const item = { text: titleOf(entry.name), collapsed: true, items };
      return items.length > 0 ? [{ order: Infinity, name: entry.name, item }] : [];
    }
    if (!entry.name.endsWith(".md")) return [];
    const name = basename(entry.name, ".md");
    const { order, title } = headOf(readFileSync(path, "utf8"));
    return [
      {
        order: name === "README" ? -Infinity : order,
        name,
        item: { text: title ?? titleOf(name), link: `${link}/${name === "README" ? "" : name}` },
      },
    ];
  });
  return entries
    .sort((one, other) => Math.sign(one.order - other.order) || one.name.localeCompare(other.name))
    .map(({ item }) => item);
}

/** The place of a page, and its first heading. Pages without a place come after those with one. */
function headOf(page: string): { order: number; title?: string } {
  const [, frontMatter = ""] = /^---\n(.*?)^---\n/ms.exec(page) ?? [];
  const { order } = (parse(frontMatter) ?? {}) as { order?: unknown };
  const [, title] = /^# (.+)$/m.exec(page) ?? [];
  return { order: typeof order === "number" ? order : Infinity, title: title?.replaceAll("`", "") };
}

/** The name of a folder as a title: "How to". */
const titleOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll("-", " ");
