import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

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
