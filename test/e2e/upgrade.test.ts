import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { projectRoot } from "../../sandbox/paths";
import * as cluster from "./cluster";

const { kube, until } = cluster;

const earlier = join(projectRoot, "test/upgrade");
const objectSchema = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), generation: z.number() }),
  spec: z.record(z.string(), z.unknown()),
  status: z.object({ observedGeneration: z.number().optional() }).default({}),
});
const listSchema = z.object({ items: z.array(objectSchema) });

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("upgrade");
});

afterAll(async () => {
  await kube(["apply", "-R", "-f", "dist/install"]);
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

const stored = async (): Promise<z.infer<typeof objectSchema>[]> =>
  listSchema.parse(JSON.parse(await kube(["get", "-n", namespace, "-f", join(earlier, "objects.yaml"), "-o", "json"])))
    .items;

/** What a user gave: a generation counts the changes of a spec. */
const given = async (): Promise<unknown[]> =>
  (await stored()).map(({ metadata: { name, generation }, spec }) => ({ name, generation, spec }));

const applyObjects = (): Promise<string> => kube(["apply", "-n", namespace, "-f", join(earlier, "objects.yaml")]);

describe("objects that were stored under the CRDs of an earlier version", () => {
  it("stay as they are when the current CRDs are applied, can be changed, and are synced", async () => {
    await kube(["apply", "-f", join(earlier, "crds")]);
    await applyObjects();
    const before = await given();
    expect(before).toHaveLength(6);
    // kubectl also calls "configured" what only has defaults in a list.
    const unchanged = await applyObjects();
    expect(await given()).toEqual(before);

    await kube(["apply", "-R", "-f", "dist/install"]);
    // The API server reads them with the new schemas from then on.
    await kube(["wait", "--for=condition=Established", "-f", "dist/install/crds", "--timeout=180s"]);
    expect(await given()).toEqual(before);

    // A change that leaves the spec as it is, and an apply of the same file.
    await kube(["annotate", "-n", namespace, "-f", join(earlier, "objects.yaml"), "after=upgrade"]);
    expect(await applyObjects()).toBe(unchanged);
    await until("each is synced", async () =>
      (await stored()).every(({ metadata, status }) => status.observedGeneration === metadata.generation),
    );
    expect(await given()).toEqual(before);
  });
});
