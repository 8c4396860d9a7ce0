import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";
import { chromium } from "playwright-core";
import { program } from "../../cli/program";
import { root } from "../step";
import { surveyOf } from "./survey";

/** Draws the report of the example and a survey into docs/charts. Throws without Chromium. */
export async function drawPages(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "charts-"));
  try {
    const report = join(folder, "report.html");
    const web = join(root, "examples/traces/web.csv");
    await program.parseAsync(["simulate", web, "--capacity", "50", "--html", report], { from: "user" });
    const survey = join(folder, "survey.html");
    writeFileSync(survey, surveyOf(readFileSync(web, "utf8")));
    await drawn(report, "report", { width: 860, height: 390 });
    await drawn(survey, "survey", { width: 1280, height: 760 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Draws a page; the picture has the texts of its judgement and its cards as its description. */
async function drawn(file: string, name: string, viewport: { width: number; height: number }): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    chromiumSandbox: false,
  });
  try {
    const page = await browser.newPage({ viewport, colorScheme: "light" });
    await page.goto(pathToFileURL(file).href);
    const texts = await page.locator("#judgement:visible, #cards li p").allTextContents();
    const picture = await page.screenshot();
    writeFileSync(join(root, `docs/charts/${name}.png`), described(picture, texts.join("\n")));
  } finally {
    await browser.close();
  }
}

/** Bytes of the signature of a PNG and of its first chunk, IHDR. */
const headBytes = 8 + 25;

/** A PNG with a description, as a chunk of UTF-8 after its head. */
function described(png: Buffer, text: string): Buffer {
  // Keyword, no compression, no language, no translated keyword.
  const data = Buffer.concat([Buffer.from("iTXtDescription\0\0\0\0\0"), Buffer.from(text)]);
  const [length, sum] = [data.length - 4, crc32(data)].map(value => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  });
  return Buffer.concat(
    [png.subarray(0, headBytes), length ?? "", data, sum ?? "", png.subarray(headBytes)].map(part => Buffer.from(part)),
  );
}
