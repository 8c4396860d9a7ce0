import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { DefaultTheme } from "vitepress";

/** A page or a folder, with its place among its neighbours. */
interface Entry {
  order: number;
  item: DefaultTheme.SidebarItem;
}

/**
 * A group for each of `folders` of `docs` that exists. Pages are in the order in which the README of their folder, or
 * of the folder above, has links to them. Pages without a link come last.
 */
export const sidebarOf = (docs: string, folders: string[]): DefaultTheme.SidebarItem[] =>
  folders
    .filter(folder => existsSync(join(docs, folder)))
    .map(folder => ({ text: titleOf(folder), items: itemsOf(join(docs, folder), `/docs/${folder}`) }));

function itemsOf(folder: string, link: string): DefaultTheme.SidebarItem[] {
  const above = [folder, join(folder, "..")].find(one => existsSync(join(one, "README.md"))) ?? folder;
  const contents = readFileSync(join(above, "README.md"), "utf8");
  const orderOf = (path: string): number => {
    const found = contents.indexOf(`](${relative(above, path)}`);
    return found < 0 ? contents.length : found;
  };
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry): Entry[] => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        const items = itemsOf(path, `${link}/${entry.name}`);
        return [{ order: orderOf(path), item: { text: titleOf(entry.name), collapsed: true, items } }];
      }
      if (!entry.name.endsWith(".md")) return [];
      const name = basename(entry.name, ".md");
      const text = /^# (.+)$/m.exec(readFileSync(path, "utf8"))?.[1]?.replaceAll("`", "") ?? titleOf(name);
      if (name === "README") return [{ order: -1, item: { text, link: `${link}/` } }];
      return [{ order: orderOf(path), item: { text, link: `${link}/${name}` } }];
    })
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

/** The name of a folder as a title: "How to". */
const titleOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll("-", " ");
