import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

/** The browser: that of CHROMIUM, or the first of these names on PATH. */
export const browserFile =
  process.env.CHROMIUM ??
  ["chromium", "chromium-browser", "google-chrome"]
    .flatMap(name => (process.env.PATH ?? "").split(delimiter).map(folder => join(folder, name)))
    .find(existsSync);

if (browserFile === undefined)
  console.warn("no Chromium on PATH and none in CHROMIUM: the tests of pages in a browser do not run");

/** Where screenshots go, to look at; by default none are taken. */
export const screenshots = process.env.MLSCALER_SCREENSHOTS;

/** Runs `look` on a page in a file. Fails when the page has an error, or asks for another file. */
export async function lookAt(
  browser: Browser,
  file: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", error => faults.push(String(error)));
  page.on("console", message => message.type() === "error" && faults.push(message.text()));
  page.on("request", request => requests.push(request.url()));
  const url = pathToFileURL(file).href;
  await page.goto(url);
  await look(page);
  expect(faults).toEqual([]);
  expect(requests).toEqual([url]);
  await context.close();
}
