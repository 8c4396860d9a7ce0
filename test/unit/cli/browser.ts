import axe, { AxeResults } from "axe-core";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The browser: that of CHROMIUM, or the first of these names on PATH. */
const browserFile =
  process.env.CHROMIUM ??
  ["chromium", "chromium-browser", "google-chrome"]
    .flatMap(name => (process.env.PATH ?? "").split(delimiter).map(folder => join(folder, name)))
    .find(existsSync);

if (browserFile === undefined)
  console.warn("no Chromium on PATH and none in CHROMIUM: the tests of pages in a browser do not run");

/** Where screenshots go, to look at; by default none are taken. */
export const screenshots = process.env.MLSCALER_SCREENSHOTS;

const windowSize = { width: 1280, height: 844 };

/** Opens the page, and runs `look` on it. Fails when the page has an error, or asks for another file. */
type Opened = (look: (page: Page) => Promise<void>, colorScheme?: "light" | "dark") => Promise<void>;

/**
 * Tests of a page in a browser: those of `tests`, and that the page is accessible, light and dark, and no wider than a
 * window or a phone.
 * @param name of the page, for screenshots
 */
export function describePage(name: string, html: () => string, tests: (opened: Opened) => void): void {
  describe.skipIf(browserFile === undefined)(`the page of ${name} in a browser`, () => {
    let browser: Browser;
    let page: Page;
    let folder: string;
    const faults: string[] = [];
    const requests: string[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), `${name}-`));
      writeFileSync(join(folder, "page.html"), html());
      if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true });
      browser = await chromium.launch({ executablePath: browserFile, chromiumSandbox: false });
      page = await browser.newPage();
      page.on("pageerror", error => faults.push(String(error)));
      page.on("console", message => message.type() === "error" && faults.push(message.text()));
      page.on("request", request => requests.push(request.url()));
    });

    afterAll(async () => {
      await browser?.close();
      if (folder) rmSync(folder, { recursive: true });
    });

    const opened: Opened = async (look, colorScheme = "light") => {
      faults.length = requests.length = 0;
      await page.setViewportSize(windowSize);
      await page.emulateMedia({ colorScheme });
      const url = pathToFileURL(join(folder, "page.html")).href;
      await page.goto(url);
      await look(page);
      expect(faults).toEqual([]);
      expect(requests).toEqual([url]);
    };

    tests(opened);

    it("is accessible, in light and dark colours, and no wider than a window or a phone", () =>
      opened(async () => {
        await page.evaluate(() => document.querySelectorAll("details").forEach(details => (details.open = true)));
        await page.evaluate(axe.source);
        // The colours are all that differs between light and dark.
        for (const [colorScheme, options] of [
          ["light", {}],
          ["dark", { runOnly: ["color-contrast"] }],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          const { violations, passes } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
          expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
          expect(passes.map(({ id }) => id)).toContain("color-contrast");
          for (const [device, width] of [
            ["", windowSize.width],
            ["-phone", 390],
          ] as const) {
            await page.setViewportSize({ ...windowSize, width });
            const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            expect(excess).toBeLessThanOrEqual(0);
            if (screenshots !== undefined)
              await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}${device}.png`), fullPage: true });
          }
          await page.setViewportSize(windowSize);
        }
      }));
  });
}
