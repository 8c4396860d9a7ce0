import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const folder = resolve(__dirname, "../../../.github/workflows");

const workflowSchema = z.object({
  on: z.record(z.string(), z.unknown()),
  jobs: z.record(
    z.string(),
    z.object({
      if: z.string().optional(),
      needs: z.string().optional(),
      uses: z.string().optional(),
      permissions: z.record(z.string(), z.string()).default({}),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().default("") })).default([]),
    }),
  ),
});
const workflow = (file: string): z.infer<typeof workflowSchema> =>
  workflowSchema.parse(parse(readFileSync(join(folder, file), "utf8")));

describe("the workflows", () => {
  it("use actions by digest: a tag can be moved", () => {
    const used = readdirSync(folder).flatMap(file =>
      Object.values(workflow(file).jobs).flatMap(({ uses, steps }) => [uses, ...steps.map(step => step.uses)]),
    );
    const foreign = used.filter(action => action !== undefined && !action.startsWith("./"));
    expect(foreign.length).toBeGreaterThan(5);
    expect(foreign.filter(action => !/@[0-9a-f]{40}$/.test(action ?? ""))).toEqual([]);
  });

  it("make a release after CI alone, and push nothing before somebody has published the draft", () => {
    const { on, jobs } = workflow("release.yaml");
    expect(jobs.test?.uses).toBe("./.github/workflows/ci.yaml");
    expect(workflow("ci.yaml").on).toHaveProperty("workflow_call");
    expect([jobs.make?.needs, jobs.draft?.needs]).toEqual(["test", "make"]);
    expect(on.release).toEqual({ types: ["published"] });
    const may = (right: string): string[] =>
      Object.keys(jobs).filter(name => jobs[name]?.permissions[right] === "write");
    expect(may("packages")).toEqual(["push"]);
    expect(jobs.push?.if).toBe("github.event_name == 'release'");
    expect(may("contents")).toEqual(["draft"]);
    expect(jobs.draft?.if).toBe("github.event_name == 'push'");
    expect(jobs.draft?.steps.some(({ run }) => / release create .* --draft /.test(run))).toBe(true);
  });
});
