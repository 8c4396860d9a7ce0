import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "../cluster";

const { api, kube, kubectl, pathOf, until } = cluster;

const policies = "dist/optional/mlscaler-guard.yaml";
const annotation = "mlscaler.example.com/refused-replicas";

/** The count that the load asked for, and the one in git. */
const scaled = 7;
const inGit = 2;

let namespace: string;

/** A metric that is not there keeps the count, so that nothing else changes it. */
const spec = {
  min_replicas: 1,
  max_replicas: 50,
  metrics: [
    {
      type: "External",
      external: { metric: { name: "nowhere" }, target: { type: "AverageValue", averageValue: "1" } },
    },
  ],
  guard_replicas: true,
};

interface Manifest {
  kind: string;
  metadata: { name: string; resourceVersion?: string; annotations?: Record<string, string> };
  spec: { replicas?: number; template: { spec: { containers: { image: string }[] } } };
}

/** What git has: the Deployment web with 2 replicas, or with none. */
function manifest(replicas: number | undefined = inGit, image = "nginx:1.27"): Manifest {
  const made = cluster.deploymentManifest("web", replicas) as Manifest;
  made.spec.template.spec.containers = [{ ...made.spec.template.spec.containers[0], image }];
  return made;
}

const without = (made: Manifest): Manifest => {
  delete made.spec.replicas;
  return made;
};

const kept = (name = "web", asked = inGit): string =>
  "Warning: Validation failed for ValidatingAdmissionPolicy 'mlscaler-guard' with binding 'mlscaler-guard': " +
  `spec.replicas stays at ${scaled} instead of ${asked}: MLScaler ${name} scales it\n`;

const inNamespace = (...args: string[]): string[] => [...args, "-n", namespace];

const apply = (made: object, ...options: string[]): Promise<cluster.Answer> =>
  kubectl(inNamespace("apply", ...options, "-f", "-"), JSON.stringify(made));

const objectSchema = z.looseObject({
  metadata: z.looseObject({
    uid: z.string(),
    resourceVersion: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({
    replicas: z.number(),
    template: z.object({ spec: z.object({ containers: z.array(z.looseObject({ image: z.string() })) }) }),
  }),
});
type Stored = z.output<typeof objectSchema>;

const listSchema = z.object({ items: z.array(z.unknown()) });

async function live(what = "Deployment/web"): Promise<Stored> {
  const [kind = "", name = ""] = what.split("/");
  return objectSchema.parse(await api.get(pathOf({ apiVersion: "apps/v1", kind }, namespace, name)));
}

const note = async (what?: string): Promise<string | undefined> => (await live(what)).metadata.annotations[annotation];

/** The count that a target would have after an update that asks for 2, and whether a warning names the guard. */
async function tried(what = "deployment/web"): Promise<{ count: number; isWarned: boolean }> {
  const patch = JSON.stringify({ spec: { replicas: inGit } });
  const options = ["--type=merge", "--dry-run=server", "-o", "jsonpath={.spec.replicas}"];
  const { stdout, stderr } = await kubectl(inNamespace("patch", what, "-p", patch, ...options));
  return { count: Number(stdout), isWarned: stderr.includes("'mlscaler-guard'") };
}

/** One policy keeps the count, and another one warns. An API server may know one of them before the other. */
const untilGuarded = (what?: string): Promise<true> =>
  until(`${what ?? "web"} is guarded`, async () => {
    const { count, isWarned } = await tried(what);
    return count === scaled && isWarned;
  });

const untilFree = (what?: string): Promise<true> =>
  until(`${what ?? "web"} is not guarded`, async () => {
    const { count, isWarned } = await tried(what);
    return count === inGit && !isWarned;
  });

const scale = (what: string, replicas: number): Promise<string> =>
  kube(inNamespace("scale", what, `--replicas=${replicas}`));

/** Waits until an apply changes nothing, and returns the version. Controllers write once after the first one. */
const untilSettled = (): Promise<string> =>
  until("an apply changes nothing", async () => {
    const { resourceVersion: before } = (await live()).metadata;
    await apply(manifest());
    const { resourceVersion: after } = (await live()).metadata;
    return before === after && after;
  });

beforeAll(async () => {
  namespace = await cluster.createNamespace("guard");
  await kube(["apply", "-f", policies]);
});

afterAll(async () => {
  await kube(["delete", "-f", policies]);
  await kube(["delete", "namespace", namespace, "--timeout=15m"]);
});

/** Applies what git has anew, and scales it. */
beforeEach(async () => {
  const scalers = pathOf(cluster.mlscaler, namespace);
  await api.delete(scalers);
  await until("no MLScaler is there", async () => listSchema.parse(await api.get(scalers)).items.length === 0);
  await cluster.remove(namespace, cluster.deployment, "web");
  expect((await apply(manifest())).stderr).toBe("");
  await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...spec });
  await scale("deployment/web", scaled);
  await untilGuarded();
});

describe("the count of a guarded Deployment is kept, and the user is told, on", () => {
  it("kubectl apply, each time, and a repeated one changes nothing", async () => {
    const first = await apply(manifest());
    expect(first).toMatchObject({ code: 0, stderr: kept() });
    const { spec: stored, metadata } = await live();
    expect([stored.replicas, metadata.annotations[annotation]]).toEqual([scaled, String(inGit)]);
    const settled = await untilSettled();
    expect(await apply(manifest())).toMatchObject({ code: 0, stderr: kept() });
    expect((await live()).metadata.resourceVersion).toBe(settled);
  });

  it("kubectl apply of a manifest that no longer has the field, which would set it to 1", async () => {
    expect(await apply(without(manifest()))).toMatchObject({ code: 0, stderr: kept("web", 1) });
    expect((await live()).spec.replicas).toBe(scaled);
    // From then on git has no count to refuse.
    expect(await apply(without(manifest(undefined, "nginx:1.28")))).toMatchObject({ code: 0, stderr: "" });
    expect([(await live()).spec.replicas, await note()]).toEqual([scaled, undefined]);
  });

  it("kubectl apply --server-side, which is a conflict before it gets here, and with --force-conflicts", async () => {
    const conflict = await apply(manifest(), "--server-side", "--field-manager=git");
    expect(conflict.code).toBe(1);
    expect(conflict.stderr).toContain('conflict with "kubectl" with subresource "scale"');
    expect(conflict.stderr).toContain(".spec.replicas");
    for (let time = 0; time < 2; time++) {
      const forced = await apply(manifest(), "--server-side", "--field-manager=git", "--force-conflicts");
      expect(forced).toMatchObject({ code: 0, stderr: kept() });
    }
    expect([(await live()).spec.replicas, await note()]).toEqual([scaled, String(inGit)]);
    // The forced apply owns the field now. So there is no conflict until the next scaling, and the count is kept.
    expect(await apply(manifest(), "--server-side", "--field-manager=git")).toMatchObject({ code: 0, stderr: kept() });
    await scale("deployment/web", scaled + 1);
    expect((await apply(manifest(), "--server-side", "--field-manager=git")).stderr).toContain("conflict");
    // An owner that no longer names the field would set it to 1.
    await scale("deployment/web", scaled);
    await apply(manifest(), "--server-side", "--field-manager=git", "--force-conflicts");
    const dropped = await apply(without(manifest()), "--server-side", "--field-manager=git");
    expect(dropped).toMatchObject({ code: 0, stderr: kept("web", 1) });
    expect((await live()).spec.replicas).toBe(scaled);
  });

  it("kubectl replace, which drops the note and gets it anew", async () => {
    await apply(manifest());
    const { uid } = (await live()).metadata;
    const answer = await kubectl(inNamespace("replace", "-f", "-"), JSON.stringify(manifest()));
    expect(answer).toMatchObject({ code: 0, stderr: kept() });
    const { spec: stored, metadata } = await live();
    expect([stored.replicas, metadata.annotations[annotation], metadata.uid]).toEqual([scaled, String(inGit), uid]);
  });

  it("kubectl edit of an object that has no annotations", async () => {
    const patch = [{ op: "remove", path: "/metadata/annotations" }];
    const body = [...patch, { op: "replace", path: "/spec/replicas", value: inGit }];
    await kube(inNamespace("patch", "deployment", "web", "--type=json", "-p", JSON.stringify(body)));
    expect([(await live()).spec.replicas, await note()]).toEqual([scaled, String(inGit)]);
  });
});

describe("a tool that compares git with the cluster, and applies what differs", () => {
  it("by a dry run of a server-side apply settles after the first one, and stays so when it is scaled", async () => {
    const serverSide = ["--server-side", "--force-conflicts", "--field-manager=argocd-controller"];
    const dryRun = async (): Promise<Stored> => {
      const { stdout } = await apply(manifest(), ...serverSide, "--dry-run=server", "-o", "json");
      return objectSchema.parse(JSON.parse(stdout));
    };
    const content = ({ spec: made, metadata }: Stored): unknown[] => [
      made,
      { ...metadata.annotations, "kubectl.kubernetes.io/last-applied-configuration": "" },
    ];
    const isDifferent = async (): Promise<boolean> =>
      !isDeepStrictEqual(content(await dryRun()), content(await live()));
    let rounds = 0;
    for (; rounds < 5 && (await isDifferent()); rounds++) await apply(manifest(), ...serverSide);
    expect(rounds).toBeLessThanOrEqual(1);
    await scale("deployment/web", scaled + 2);
    expect(await isDifferent()).toBe(false);
    expect((await live()).spec.replicas).toBe(scaled + 2);
  });
});

describe("what the guard lets through:", () => {
  it("kubectl scale, and the MLScaler's own", async () => {
    expect((await kubectl(inNamespace("scale", "deployment/web", "--replicas=3"))).stderr).toBe("");
    expect((await live()).spec.replicas).toBe(3);
    await cluster.patchScaler(namespace, "web", { min_replicas: 9 });
    await cluster.untilReplicas(namespace, "web", 9);
  });

  it("the rest of an update, and a count that is the stored one", async () => {
    expect((await apply(manifest(inGit, "nginx:1.28"))).stderr).toBe(kept());
    const { spec: stored } = await live();
    expect(stored).toMatchObject({ replicas: scaled, template: { spec: { containers: [{ image: "nginx:1.28" }] } } });
    expect((await kubectl(inNamespace("set", "image", "deployment/web", "web=nginx:1.29"))).stderr).toBe("");
    expect([(await live()).spec.replicas, await note()]).toEqual([scaled, undefined]);
    await apply(manifest());
    expect((await apply(manifest(scaled))).stderr).toBe("");
    expect(await note()).toBeUndefined();
  });

  it("a rollout, whose ReplicaSets the Deployment scales", async () => {
    await kube(inNamespace("set", "image", "deployment/web", "web=nginx:1.28"));
    await kube(inNamespace("rollout", "status", "deployment/web", "--timeout=15m"));
    expect((await live()).spec.replicas).toBe(scaled);
  });

  it("a deletion and a creation, also of kubectl replace --force", async () => {
    const { uid } = (await live()).metadata;
    const replaced = await kubectl(inNamespace("replace", "--force", "-f", "-"), JSON.stringify(manifest()));
    expect(replaced).toMatchObject({ code: 0, stderr: "" });
    const { spec: stored, metadata } = await live();
    expect([stored.replicas, metadata.annotations[annotation]]).toEqual([inGit, undefined]);
    expect(metadata.uid).not.toBe(uid);
  });

  it.each<[string, object]>([
    ["mode Observe", { mode: "Observe" }],
    ["pause All", { pause: "All" }],
    ["guard_replicas false", { guard_replicas: false }],
  ])("everything with %s", async (_, change) => {
    await cluster.patchScaler(namespace, "web", change);
    await untilFree();
    expect((await apply(manifest())).stderr).toBe("");
    expect([(await live()).spec.replicas, await note()]).toEqual([inGit, undefined]);
  });

  it.each(["Down", "Up"])("nothing more with pause %s, where the MLScaler still scales", async pause => {
    await cluster.patchScaler(namespace, "web", { pause: "All" });
    await untilFree();
    await cluster.patchScaler(namespace, "web", { pause });
    await untilGuarded();
  });

  it("everything once the MLScaler is deleted, or is being deleted", async () => {
    const hold = (finalizers: string[] | null): Promise<string> => {
      const patch = JSON.stringify({ metadata: { finalizers } });
      return kube(inNamespace("patch", "mls", "web", "--type=merge", "-p", patch));
    };
    await hold(["example.com/hold"]);
    await kube(inNamespace("delete", "mls", "web", "--wait=false"));
    await untilFree();
    await hold(null);
    await kube(inNamespace("wait", "--for=delete", "mls/web", "--timeout=15m"));
    expect((await apply(manifest())).stderr).toBe("");
    expect((await live()).spec.replicas).toBe(inGit);
  });
});

describe("the raised minimum of an assisted HPA is kept, and what was asked for is noted,", () => {
  const raised = 9;
  const assist = "mlscaler.example.com/assist";
  const text = {
    by: "assisted",
    own: inGit,
    raised,
    until: new Date(Date.now() + 3_600_000).toISOString(),
    applied: inGit,
  };
  const autoscaler = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };
  const hpa = (minReplicas = inGit, maxReplicas = 20): object => ({
    ...autoscaler,
    metadata: { name: "assisted" },
    spec: {
      ...{ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "assisted" }, minReplicas, maxReplicas },
      metrics: spec.metrics,
    },
  });
  const stored = z.object({
    metadata: z.object({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
    spec: z.object({ minReplicas: z.number() }),
  });
  const read = async (): Promise<z.output<typeof stored>> =>
    stored.parse(await api.get(pathOf(autoscaler, namespace, "assisted")));
  /** The minimum, the own one in its note, and the one that was refused. */
  const now = async (): Promise<unknown[]> => {
    const { metadata, spec: now } = await read();
    const found = z.object({ own: z.number() }).safeParse(JSON.parse(metadata.annotations[assist] ?? "null"));
    return [now.minReplicas, found.data?.own, metadata.annotations[annotation]];
  };
  const warning = (asked: number): string =>
    "Warning: Validation failed for ValidatingAdmissionPolicy 'mlscaler-guard-minimum' with binding " +
    `'mlscaler-guard-minimum': the minimum stays at ${raised} for now, and is ${asked} later: ` +
    "MLScaler assisted raised it\n";
  const patch = (change: object, ...options: string[]): Promise<cluster.Answer> =>
    kubectl(inNamespace("patch", "hpa", "assisted", "--type=merge", "-p", JSON.stringify(change), ...options));

  beforeEach(async () => {
    await cluster.remove(namespace, autoscaler, "assisted");
    await cluster.createDeployment(namespace, "assisted", inGit);
    await apply(hpa());
    await cluster.applyScaler(namespace, "assisted", {
      mode: "Assist",
      target_deployment: "assisted",
      guard_replicas: true,
    });
    // As the module writes it. Its metric is not there, so it keeps what is raised until then.
    const annotations = { [assist]: JSON.stringify(text) };
    await patch({ metadata: { annotations }, spec: { minReplicas: raised } }, "--field-manager=mlscaler");
    await until("assisted is guarded", async () => {
      const { stdout, stderr } = await patch({ spec: { minReplicas: 1 } }, "--dry-run=server", "-o", "json");
      return stored.parse(JSON.parse(stdout)).spec.minReplicas === raised && stderr === warning(1);
    });
  });

  afterAll(async () => void (await kube(inNamespace("delete", "hpa,deployment", "assisted"))));

  it("on kubectl apply, each time, and on a repeated one that changes nothing", async () => {
    for (const asked of [inGit, 3]) {
      expect(await apply(hpa(asked))).toMatchObject({ code: 0, stderr: warning(asked) });
      expect((await now()).slice(0, 2)).toEqual([raised, asked]);
    }
    // The MLScaler updates its note once.
    await until("an apply changes nothing", async () => {
      const { metadata: before } = await read();
      expect(await apply(hpa(3))).toMatchObject({ code: 0, stderr: warning(3) });
      return before.resourceVersion === (await read()).metadata.resourceVersion;
    });
    expect(await now()).toEqual([raised, 3, "3"]);
    // The MLScaler puts back what was asked for.
    await kube(inNamespace("delete", "mls", "assisted", "--timeout=15m"));
    expect(await now()).toEqual([3, undefined, undefined]);
  });

  it("on kubectl apply --server-side with force, as Flux and Argo CD do it again and again", async () => {
    const tool = ["--server-side", "--field-manager=argocd-controller"];
    expect((await apply(hpa(), ...tool)).stderr).toContain("conflict");
    for (let time = 0; time < 2; time++) {
      expect((await apply(hpa(4), ...tool, "--force-conflicts")).stderr).toBe(warning(4));
      expect((await now()).slice(0, 2)).toEqual([raised, 4]);
    }
    await cluster.patchScaler(namespace, "assisted", { pause: "All" });
    await until("the minimum is put back", async () => (await read()).spec.minReplicas === 4);
    expect((await now()).slice(1)).toEqual([undefined, undefined]);
  });

  it("but not on a higher one, or above a lower maximum, which the MLScaler takes as the user's", async () => {
    expect((await patch({ spec: { minReplicas: 12 } })).stderr).toBe("");
    await until("its note is gone", async () => (await now())[1] === undefined);
    expect((await now())[0]).toBe(12);
    expect((await apply(hpa(2, 5))).stderr).toBe("");
    expect(await now()).toEqual([2, undefined, undefined]);
  });
});

describe("of several objects and MLScalers of a namespace", () => {
  const ref = (kind: string, name: string): object => ({ target_ref: { apiVersion: "apps/v1", kind, name } });
  const workload = (kind: string, name: string): object => {
    const made = manifest();
    return {
      ...made,
      kind,
      metadata: { name },
      spec: { ...made.spec, ...(kind === "StatefulSet" && { serviceName: name }) },
    };
  };

  it("only the target is guarded, whatever else is there", async () => {
    for (const [name, target] of [
      ["observer", { target_deployment: "web", mode: "Observe" }],
      ["unguarded", { target_deployment: "other", guard_replicas: false }],
      ["namesake", ref("StatefulSet", "api")],
    ] as const)
      await cluster.applyScaler(namespace, name, { ...spec, ...target });
    for (const name of ["other", "api"]) {
      await cluster.createDeployment(namespace, name, inGit);
      await scale(`deployment/${name}`, scaled);
      await untilFree(`deployment/${name}`);
    }
    expect((await tried()).count).toBe(scaled);
    expect(await apply(manifest())).toMatchObject({ code: 0, stderr: kept() });
    expect(await note()).toBe(String(inGit));
    await kube(inNamespace("delete", "deployment", "other", "api"));
  });

  it.each([
    ["StatefulSet", "db"],
    ["ReplicaSet", "alone"],
  ])("a %s is guarded", async (kind, name) => {
    await kube(inNamespace("apply", "-f", "-"), JSON.stringify(workload(kind, name)));
    await cluster.applyScaler(namespace, name, { ...spec, ...ref(kind, name) });
    const what = `${kind}/${name}`;
    await scale(what, scaled);
    await untilGuarded(what);
    expect(await apply(workload(kind, name))).toMatchObject({ code: 0, stderr: kept(name) });
    expect(await note(what)).toBe(String(inGit));
    await kube(inNamespace("delete", what));
  });

  it("a ReplicaSet of a Deployment is not", async () => {
    const owned = (await kube(inNamespace("get", "rs", "-l", "app=web", "-o", "name"))).trim();
    await cluster.applyScaler(namespace, "owned", { ...spec, ...ref("ReplicaSet", owned.split("/")[1] ?? "") });
    // The API server learns of MLScalers in their order.
    await cluster.patchScaler(namespace, "web", { guard_replicas: false });
    await untilFree();
    expect((await tried(owned)).count).toBe(inGit);
  });
});
