import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { traceFromCsv } from "../../bench/trace";

const folder = mkdtempSync(join(tmpdir(), "trace-"));
afterAll(() => rmSync(folder, { recursive: true }));

function csv(...lines: string[]): string {
  const path = join(folder, "load.csv");
  writeFileSync(path, lines.join("\n"));
  return path;
}

describe("traceFromCsv", () => {
  it("puts lines where loads are missing, in the middle and at the ends", () => {
    const lines = ["0,", "60,1", "120,4", "300,1", "360,", "420,3", "480,nan"];
    expect(traceFromCsv(csv(...lines)).values).toEqual([1, 1, 4, 3, 2, 1, 2, 3, 3]);
  });
});
