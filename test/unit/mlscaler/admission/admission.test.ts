import { describe, expect, it, vi } from "vitest";
import { answer, Verdict } from "../../../../capabilities/webhook/admission";
import { ApiError } from "../../../../capabilities/kubernetes/api";
import { Namespaces } from "../../../../capabilities/kubernetes/namespaces";
import { Admission } from "../../../../capabilities/mlscaler/admission/admission";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { mlscaler } from "../../../../capabilities/mlscaler/schema";
import { Turns } from "../../../../capabilities/operator/turns";
import { broken, Call, FakeApi, forbidden, notFound } from "../../fake-api";
import { FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { validateRequest } from "../../validate-request";

const spec = { target_deployment: "web", min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5 };

interface Asked {
  object: object;
  before?: object;
}
const asked = (change: Partial<Asked> = {}): Asked => ({ object: { spec }, ...change });

const other = (name: string, change: Record<string, unknown> = {}, deletionTimestamp?: string): object => ({
  metadata: { name, namespace: "shop", deletionTimestamp },
  spec: { ...spec, mode: "Active", ...change },
});

const apps = [
  { name: "deployments", kind: "Deployment", namespaced: true },
  { name: "deployments/scale", kind: "Scale", namespaced: true },
  { name: "statefulsets", kind: "StatefulSet", namespaced: true },
  { name: "statefulsets/scale", kind: "Scale", namespaced: true },
];

const hpas = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";

const hpa = (
  name: string,
  scaleTargetRef: object = { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
): object => ({
  metadata: { name, namespace: "shop", uid: name },
  spec: { scaleTargetRef, maxReplicas: 20 },
});

/** A cluster of these MLScalers, in which every target is there. */
const cluster = (...items: object[]): FakeApi => clusterOf({ items });

const clusterOf = ({ items = [], autoscalers = [] }: { items?: object[]; autoscalers?: object[] }): FakeApi =>
  new FakeApi(({ path }) => {
    if (path.endsWith("/mlscalers")) return { items };
    if (path === hpas) return { items: autoscalers };
    return path === "/apis/apps/v1" ? { resources: apps } : { metadata: { name: "web", namespace: "shop" } };
  });

/** What the webhook answers. */
async function review(
  api: FakeApi,
  { object, before }: Asked,
  admission = new Admission(api, new Namespaces(), new Turns()),
): Promise<Verdict> {
  const { allowed, statusMessage, warnings } = await answer(mlscaler, validateRequest({ object, before }), one =>
    admission.review(one),
  );
  return allowed ? { warnings: warnings ?? [] } : { denied: statusMessage ?? "" };
}

const warnings = (verdict: Verdict): string[] => ("warnings" in verdict ? verdict.warnings : ["DENIED"]);
const denial = (verdict: Verdict): string => ("denied" in verdict ? verdict.denied : "ALLOWED");

describe("review", () => {
  it("allows a valid MLScaler without a warning", async () => {
    const api = cluster();
    expect(await review(api, asked())).toEqual({ warnings: [] });
    expect(api.calls.map(({ path }) => path).sort()).toEqual([
      "/apis/apps/v1",
      "/apis/apps/v1/namespaces/shop/deployments/web/scale",
      hpas,
      "/apis/example.com/v1/namespaces/shop/mlscalers",
    ]);
  });

  const schedule = { name: "never", cron: "0 0 30 2 *", duration_seconds: 60, min_replicas: 2 };
  const useZone = 'use a name of the tz database as "Europe/Berlin"';
  it.each<[string, object, string]>([
    [
      "faults",
      { ...spec, min_replicas: 11, history_size: 1 },
      "spec.min_replicas: 11 is above spec.max_replicas 10, use at most that; " +
        "spec.history_size: 1 is out of range, use 2 to 20160 samples",
    ],
    [
      "faults of schedules",
      { ...spec, schedules: [schedule, { ...schedule, name: "nowhere", cron: "0 9 * * *", timezone: "Mars" }] },
      'spec.schedules[0].cron: "0 0 30 2 *" never comes, use a day that its months have; ' +
        `spec.schedules[1].timezone: "Mars" is not a time zone, ${useZone}`,
    ],
    [
      "faults of the forecast",
      { ...spec, forecast: { timezone: "Europe/Atlantis" } },
      `spec.forecast.timezone: "Europe/Atlantis" is not a time zone, ${useZone}`,
    ],
  ])("denies with all %s in one text, without a read from the cluster", async (_, wrong, text) => {
    const api = cluster();
    expect(denial(await review(api, asked({ object: { spec: wrong } })))).toBe(text);
    expect(denial(await review(api, asked({ object: {} })))).toContain("spec.max_replicas: is required");
    expect(api.calls).toEqual([]);
  });

  it("lets the older of two that slipped through be edited, and denies one that turns Active", async () => {
    const api = cluster(other("younger"));
    const object = { spec: { ...spec, max_replicas: 20, mode: "Active" } };
    expect(await review(api, asked({ object, before: { spec: { ...spec, mode: "Active" } } }))).toEqual({
      warnings: [],
    });
    const turned = await review(api, asked({ object, before: { spec: { ...spec, mode: "Observe" } } }));
    expect(denial(turned)).toContain("already scaled by MLScaler younger");
  });

  it("lets pass an object whose spec is unchanged, though a rule was made stricter or a second one is there", async () => {
    const api = cluster(other("older"));
    const bad = { ...spec, history_size: 1 };
    for (const same of [bad, spec]) {
      const verdict = await review(api, asked({ object: { spec: { ...same } }, before: { spec: { ...same } } }));
      expect(verdict).toEqual({ warnings: [] });
    }
    expect(api.calls).toEqual([]);
  });

  it("lets pass an object that is being deleted, whatever its spec", async () => {
    const object = { spec: { nonsense: true }, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(await review(cluster(), asked({ object, before: { spec } }))).toEqual({ warnings: [] });
  });

  it("denies a second MLScaler on a target, and names the first and the remedy", async () => {
    const text = denial(await review(cluster(other("first")), asked()));
    expect(text).toContain("spec.target_deployment: Deployment web is already scaled by MLScaler first");
    expect(text).toContain("Observe");
  });

  describe("beside an HPA", () => {
    const denied =
      "spec.target_deployment: Deployment web is already scaled by HPA web; set spec.mode to Assist to keep that, delete it, or set spec.mode to Observe";
    const as = (mode: "Active" | "Observe", change: object = {}): { spec: object } => ({
      spec: { ...spec, mode, ...change },
    });

    it("denies one in Active, both new and after Observe", async () => {
      const api = clusterOf({ autoscalers: [hpa("web")] });
      expect(denial(await review(api, asked()))).toBe(denied);
      expect(denial(await review(api, asked({ object: as("Active"), before: as("Observe") })))).toBe(denied);
    });

    it("allows one that observes, without a read of HPAs", async () => {
      const api = clusterOf({ autoscalers: [hpa("web")] });
      expect(await review(api, asked({ object: as("Observe") }))).toEqual({ warnings: [] });
      expect(api.calls.map(({ path }) => path)).not.toContain(hpas);
    });

    it("is named in a warning where an MLScaler that assists has bounds above its maximum", async () => {
      const api = clusterOf({ autoscalers: [hpa("web")] });
      const bounds = { min_replicas: 21, max_replicas: 30 };
      const object = { spec: { target_deployment: "web", mode: "Assist", ...bounds } };
      expect(warnings(await review(api, asked({ object })))).toEqual([
        "spec.min_replicas: 21 is above the maximum of HPA web, which is 20 and counts",
        "spec.max_replicas: 30 is above the maximum of HPA web, which is 20 and counts",
      ]);
    });

    it("is listed once for concurrent reviews, and once more before a denial", async () => {
      const autoscalers: object[] = [];
      const api = clusterOf({ autoscalers });
      const admission = new Admission(api, new Namespaces(), new Turns());
      const lists = (): number => api.calls.filter(({ path }) => path === hpas).length;
      const all = await Promise.all([1, 2, 3].map(() => review(api, asked(), admission)));
      expect(all).toEqual([1, 2, 3].map(() => ({ warnings: [] })));
      expect(lists()).toBe(1);
      autoscalers.push(hpa("web"));
      await vi.waitFor(async () => expect(denial(await review(api, asked(), admission))).toBe(denied));
      expect(lists()).toBe(3);
      autoscalers.length = 0;
      expect(await review(api, asked(), admission)).toEqual({ warnings: [] });
      expect(lists()).toBe(4);
    });

    it("that cannot be read is a warning", async () => {
      const api = new FakeApi(({ path }) => {
        if (path.endsWith("/mlscalers")) return { items: [] };
        if (path === hpas) throw forbidden();
        return path === "/apis/apps/v1" ? { resources: apps } : { metadata: { name: "web", namespace: "shop" } };
      });
      expect(warnings(await review(api, asked()))).toEqual([
        "whether an HPA is on the target could not be checked (forbidden), it is checked again at each sync",
      ]);
    });
  });

  it("warns that the Deployment is not there yet", async () => {
    const api = new FakeApi(({ path }) => {
      if (path.endsWith("/mlscalers") || path === hpas) return { items: [] };
      throw notFound();
    });
    expect(warnings(await review(api, asked()))).toEqual([
      "spec.target_deployment: there is no Deployment web with a scale in shop yet",
    ]);
  });

  it("allows with a warning for each failed read", async () => {
    const away = new FakeApi(() => {
      throw broken();
    });
    const all = warnings(await review(away, asked()));
    expect(all).toHaveLength(3);
    for (const warning of all) expect(warning).toContain("etcd is away");
    const strange = new FakeApi(() => "<html>");
    expect(warnings(await review(strange, asked()))).toHaveLength(3);
  });

  describe("the policy that guard_replicas needs", () => {
    useFakeTime();
    const policy = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/mlscaler-guard";
    const guarded = asked({ object: { spec: { ...spec, guard_replicas: true } } });
    const withPolicy = (answerPolicy: () => object): FakeApi =>
      new FakeApi(({ path }) => {
        if (path === policy) return answerPolicy();
        if (path === "/apis/apps/v1") return { resources: apps };
        return path.endsWith("s") ? { items: [] } : { metadata: { name: "web", namespace: "shop" } };
      });
    const looks = (api: FakeApi): number => api.calls.filter(({ path }) => path === policy).length;

    it("that is installed is nothing to warn of, and is not looked for again for a minute", async () => {
      const api = withPolicy(() => ({}));
      const admission = new Admission(api, new Namespaces(), new Turns());
      for (let time = 0; time < 3; time++) expect(await review(api, guarded, admission)).toEqual({ warnings: [] });
      expect(looks(api)).toBe(1);
      await pass(61);
      await review(api, guarded, admission);
      expect(looks(api)).toBe(2);
    });

    it("that is missing is a warning with the remedy, each time", async () => {
      const api = withPolicy(() => {
        throw notFound();
      });
      const admission = new Admission(api, new Namespaces(), new Turns());
      const told = [
        "spec.guard_replicas: true has no effect without MutatingAdmissionPolicy mlscaler-guard, which is not " +
          "installed; apply dist/optional, or set guard.enabled=true in the Helm chart (Kubernetes 1.36 or newer)",
      ];
      expect(warnings(await review(api, guarded, admission))).toEqual(told);
      expect(warnings(await review(api, guarded, admission))).toEqual(told);
    });

    it("that cannot be read is not told", async () => {
      const api = withPolicy(() => {
        throw forbidden();
      });
      expect(await review(api, guarded)).toEqual({ warnings: [] });
    });
  });
});

describe("target_ref", () => {
  const on = (apiVersion: string, kind: string, name: string, change: object = {}): Asked => ({
    object: {
      spec: { ...spec, target_deployment: undefined, target_ref: { apiVersion, kind, name }, ...change },
    },
  });
  const hello = (change: object = {}): Asked => on("fraim.co.jp/v1", "Hello", "hi", change);

  /** A cluster in which no MLScaler is yet, with a StatefulSet db and a Hello hi that takes up to 7 replicas. */
  function cluster(): FakeCluster {
    const inMemory = new FakeCluster();
    inMemory.run("statefulsets/db", 3);
    inMemory.run("helloes/hi", 3, 7);
    const get = inMemory.api.get.bind(inMemory.api);
    inMemory.api.get = (path, request) =>
      path.endsWith("/mlscalers") ? Promise.resolve({ items: [] }) : get(path, request);
    return inMemory;
  }

  it("allows a valid MLScaler without a warning", async () => {
    for (const right of [on("apps/v1", "StatefulSet", "db"), hello({ max_replicas: 7 })])
      expect(await review(cluster().api, right)).toEqual({ warnings: [] });
  });

  it("warns that the target refuses max_replicas, in its own words, and changes nothing by asking", async () => {
    const { api, scaled, others } = cluster();
    expect(warnings(await review(api, hello({ max_replicas: 8 })))).toEqual([
      "spec.max_replicas: Hello hi refuses 8: spec.size: 8 is out of range, use 1 to 7",
    ]);
    expect(api.of("PUT")).toMatchObject([{ query: { dryRun: "All" }, body: { spec: { replicas: 8 } } }]);
    expect(scaled).toEqual([]);
    expect(others.get("helloes/hi")).toMatchObject({ replicas: 3, version: 1 });
  });

  it("asks no Deployment that target_deployment names for a ceiling, since it has none", async () => {
    const inMemory = cluster();
    inMemory.deploy("web", 3);
    expect(await review(inMemory.api, asked())).toEqual({ warnings: [] });
    expect(inMemory.api.of("PUT")).toEqual([]);
  });

  it.each([
    ["an object", on("apps/v1", "StatefulSet", "x"), "there is no StatefulSet x with a scale in shop yet"],
    ["a kind", on("apps/v1", "Gadget", "x"), "apps/v1 has no kind Gadget in namespaces"],
  ])("warns that %s is not there", async (_, missing, warning) => {
    expect(warnings(await review(cluster().api, missing))).toEqual([`spec.target_ref: ${warning}`]);
  });

  it("allows with a warning for each failed check", async () => {
    for (const [method, end] of [
      ["GET", "/apis/fraim.co.jp/v1"],
      ["GET", "/scale"],
      ["PUT", "/scale"],
    ] as const) {
      const inMemory = cluster();
      inMemory.fail(method, end, broken());
      expect(warnings(await review(inMemory.api, hello()))).toEqual([
        expect.stringMatching(/^the target could not be checked \(.+\), it is checked again at each sync$/),
      ]);
    }
  });

  it("does not learn the ceiling of a target where it may only read, as in the Helm chart", async () => {
    const inMemory = cluster();
    inMemory.fail("PUT", "/scale", forbidden());
    expect(await review(inMemory.api, hello())).toEqual({ warnings: [] });
    inMemory.fail("GET", "/scale", forbidden());
    expect(warnings(await review(inMemory.api, hello()))).toEqual([
      "the target could not be checked (forbidden), it is checked again at each sync",
    ]);
  });
});

describe("the target's pods", () => {
  const utilization = (type: string, block: object): object => ({
    type,
    [type.charAt(0).toLowerCase() + type.slice(1)]: {
      ...{ name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      ...block,
    },
  });
  const long = (change: object): Asked => ({
    object: { spec: { ...spec, metric: undefined, history_size: undefined, mode: "Observe", ...change } },
  });
  const container = (name: string, requests: object = {}, rest: object = {}): object => ({
    ...{ name, resources: { requests } },
    ...rest,
  });
  const pod = (startedWithin: number, requests: object = {}): object => ({
    metadata: { name: `web-${startedWithin}`, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { containers: [container("web", requests)] },
    status: {
      phase: "Running",
      conditions: [
        { type: "Ready", status: "True", lastTransitionTime: new Date(Date.UTC(2026, 0, 1, 0, 0, startedWithin)) },
      ],
    },
  });

  /** A cluster in which the Deployment web has these containers, and these pods. */
  const clusterWith = (podSpec: object, ...pods: object[]): FakeApi =>
    new FakeApi(({ path }) => {
      if (path === "/apis/apps/v1") return { resources: apps };
      if (path.endsWith("/pods")) return JSON.parse(JSON.stringify({ items: pods })) as object;
      if (path.endsWith("/scale"))
        return { metadata: { name: "web", namespace: "shop" }, status: { replicas: 1, selector: "app=web" } };
      return { spec: { template: { metadata: {}, spec: podSpec } } };
    });

  it("with the requests that averageUtilization needs cause no warning", async () => {
    const cpu = { cpu: "500m" };
    const metrics = [utilization("Resource", {}), utilization("ContainerResource", { container: "web" })];
    for (const podSpec of [
      { containers: [container("web", cpu)] },
      { containers: [container("web", cpu)], initContainers: [container("init")] },
    ])
      expect(await review(clusterWith(podSpec), long({ metrics }))).toEqual({ warnings: [] });
    const whole = { containers: [container("web")], resources: { requests: cpu } };
    expect(await review(clusterWith(whole), long({ metrics: [metrics[0]] }))).toEqual({ warnings: [] });
  });

  it("that do not are a warning, which names the containers", async () => {
    const podSpec = {
      containers: [container("web", { cpu: "500m" }), container("log", { memory: "1Mi" })],
      initContainers: [container("mesh", {}, { restartPolicy: "Always" }), container("init")],
    };
    const metrics = [
      utilization("Resource", {}),
      utilization("ContainerResource", { container: "web" }),
      utilization("ContainerResource", { container: "log" }),
      utilization("ContainerResource", { container: "gone" }),
    ];
    expect(warnings(await review(clusterWith(podSpec), long({ metrics })))).toEqual([
      "spec.metrics[0].resource.target.averageUtilization: 50 percent of a request that Deployment web does not have in container log, mesh; set resources.requests.cpu there, or use averageValue",
      "spec.metrics[2].containerResource.target.averageUtilization: 50 percent of a request that Deployment web does not have in container log; set resources.requests.cpu there, or use averageValue",
      "spec.metrics[3].containerResource.container: gone is not a container of Deployment web; use web or log or mesh",
    ]);
  });

  it("that have it from a LimitRange are nothing to warn of", async () => {
    const podSpec = { containers: [container("web")] };
    const metrics = [utilization("Resource", {})];
    expect(await review(clusterWith(podSpec, pod(5, { cpu: "1" })), long({ metrics }))).toEqual({ warnings: [] });
    expect(warnings(await review(clusterWith(podSpec, pod(5)), long({ metrics })))).toHaveLength(1);
  });

  it("are not looked at where nothing depends on them", async () => {
    const api = clusterWith({});
    await review(api, asked({ object: { spec: { ...spec, mode: "Observe", forecast: {} } } }));
    expect(api.calls.map(({ path }) => path.split("/").at(-1))).toEqual(["v1", "scale"]);
  });

  it("that start slower than is looked ahead are a warning, with the figures", async () => {
    const asking = (horizon: number, change: object = {}): Asked =>
      asked({
        object: { spec: { ...spec, mode: "Observe", forecast: { horizon_seconds: horizon }, ...change } },
      });
    const api = clusterWith({}, pod(95), pod(20));
    expect(warnings(await review(api, asking(60)))).toEqual([
      "spec.forecast.horizon_seconds: 60 is less than the 95 s that the target's pods take to start and the 30 s from one sync to the next, so replicas come too late; use 125 or more, or leave it out",
    ]);
    expect(await review(api, asking(125))).toEqual({ warnings: [] });
    expect(warnings(await review(clusterWith({}), asking(60, { sync_period_seconds: 90 })))).toEqual([
      "spec.forecast.horizon_seconds: 60 is less than the 90 s from one sync to the next, so replicas come too late; use 90 or more, or leave it out",
    ]);
    expect(await review(clusterWith({}), asking(60))).toEqual({ warnings: [] });
  });

  it("that cannot be looked at are a warning", async () => {
    const { answer } = clusterWith({});
    const api = new FakeApi(call => {
      if (call.path.endsWith("/pods") || call.path.endsWith("/deployments/web")) throw forbidden();
      return answer(call);
    });
    const change = { metrics: [utilization("Resource", {})], forecast: { horizon_seconds: 60 } };
    expect(warnings(await review(api, long(change)))).toEqual([
      "what the target's containers request could not be checked (forbidden), it is checked again at each sync",
      "how long the target's pods take to start could not be checked (forbidden), it is checked again at each sync",
    ]);
  });
});

const secret = "/api/v1/namespaces/pepr-system/secrets/mlscaler-prometheus";

/** A cluster with these entries in the Secret of Prometheus servers. */
const clusterWith = (servers: string[] | undefined, entry = ""): FakeApi => {
  const { answer } = cluster();
  return new FakeApi(call => {
    if (call.path !== secret) return answer(call);
    if (!servers) throw notFound("secret");
    return { data: Object.fromEntries(servers.map(server => [server, btoa(`url: http://prometheus\n${entry}`)])) };
  });
};

describe("a Prometheus server", () => {
  const metric = (server?: string, query = "up", more: object = {}): object => ({
    type: "Prometheus",
    prometheus: { query, target: { type: "AverageValue", averageValue: 1 }, server, ...more },
  });
  const asking = (...metrics: object[]): Asked => ({
    object: { spec: { ...spec, metric: undefined, history_size: undefined, metrics } },
  });
  it("that is named is nothing to warn of, and where none is asked none is looked for", async () => {
    const api = clusterWith(["eu", "main"]);
    expect(await review(api, asking(metric(), metric("eu")))).toEqual({ warnings: [] });
    expect(api.calls.find(({ path }) => path === secret)?.timeoutSeconds).toBeLessThanOrEqual(1);
  });

  it("that is unknown is a warning, which names those there are", async () => {
    expect(warnings(await review(clusterWith(["us", "main"]), asking(metric(), metric("eu"))))).toEqual([
      "spec.metrics[1].prometheus.server: server eu is not known, there are main, us; use one of those, or have an " +
        "admin name it for namespace shop in Secret pepr-system/mlscaler-prometheus",
    ]);
    expect(warnings(await review(clusterWith(undefined), asking(metric())))).toEqual([
      "spec.metrics[0].prometheus.server: server main is not known, there is none for namespace shop; use another " +
        "source, or have an admin name it for namespace shop in Secret pepr-system/mlscaler-prometheus",
    ]);
  });

  it("that is unknown is a warning for a leading load, too", async () => {
    const leading = [{ prometheus: { query: "sum(up)", server: "eu" } }];
    const led = { ...spec, metric: undefined, history_size: undefined, metrics: [metric()], forecast: { leading } };
    expect(warnings(await review(clusterWith(["main"]), { object: { spec: led } }))).toEqual([
      "spec.forecast.leading[0].prometheus.server: server eu is not known, there are main; use one of those, or have an " +
        "admin name it for namespace shop in Secret pepr-system/mlscaler-prometheus",
    ]);
  });

  it("that is not for the namespace, or has a wrong entry, is a warning", async () => {
    const warningOf = async (entry: string): Promise<string[]> =>
      warnings(await review(clusterWith(["main"], entry), asking(metric())));
    expect(await warningOf("namespaces: [blog]")).toEqual([
      "spec.metrics[0].prometheus.server: server main is not known, there is none for namespace shop; use " +
        "another source, or have an admin name it for namespace shop in Secret pepr-system/mlscaler-prometheus",
    ]);
    expect(await warningOf("bearer_token: hunter2")).toEqual([
      expect.stringContaining("the credentials would be sent in clear text") as string,
    ]);
  });

  it("that is asked for series of the namespace only denies a query in which that cannot be ensured", async () => {
    const bound = clusterWith(["main"], "namespace_label: ns");
    expect(await review(bound, asking(metric()))).toEqual({ warnings: [] });
    expect(await review(bound, asking(metric(), metric("main", '{a="b" or c="d"}')))).toEqual({
      denied:
        "spec.metrics[1].prometheus.query: server main reads only series of namespace shop: the query is not PromQL; " +
        "correct the query",
    });
    const aged = { max_sample_age_seconds: 60 };
    expect(await review(clusterWith(["main"]), asking(metric("main", "vector(1)", aged)))).toEqual({
      denied:
        "spec.metrics[0].prometheus.query: server main cannot tell the age that max_sample_age_seconds limits: the query " +
        "selects no current series; correct the query",
    });
  });
});

describe("an activation from Prometheus", () => {
  const activation = { type: "Prometheus", prometheus: { query: "sum(rate(requests[5m]))" } };
  const slot = 300_000;
  /** What is warned of when the values of the last week are those at the slots, counted back from now, of `known`. */
  const warningsWhen = async (known: (slotsAgo: number) => boolean): Promise<string[]> => {
    const range = vi
      .spyOn(Prometheus.prototype, "range")
      .mockImplementation((_namespace, _server, _query, from, to, step) => {
        const ago = Array.from({ length: (to - from) / step + 1 }, (_, index) => (to - from) / step - index);
        return Promise.resolve(ago.filter(known).map((slots): [number, number] => [to - slots * slot, 1]));
      });
    const metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
    ];
    const zero = { min_replicas: 0, metric: undefined, history_size: undefined, metrics };
    const object = { spec: { ...spec, ...zero, scale_to_zero: { activation: [activation] } } };
    const found = warnings(await review(clusterWith(["main"]), { object }));
    expect(range).toHaveBeenCalledTimes(1);
    range.mockRestore();
    return found.filter(text => text.includes("had no value"));
  };
  const field = "spec.scale_to_zero.activation[0].prometheus.query had no value in";
  const remedy = "one that only the target's pods export never wakes it from 0; count the load in front of them";

  it("that had a value all the time is nothing to warn of, nor is one that is new, or was absent for 55 min", async () => {
    expect(await warningsWhen(() => true)).toEqual([]);
    expect(await warningsWhen(ago => ago < 30)).toEqual([]);
    expect(await warningsWhen(ago => ago < 100 || ago > 110)).toEqual([]);
  });

  it("that had no value for an hour, or now, or never, may be one of the pods that are absent at 0", async () => {
    expect(await warningsWhen(ago => ago < 100 || ago > 111)).toEqual([`${field} 1 of the last 168 h: ${remedy}`]);
    expect(await warningsWhen(ago => ago >= 240 && ago < 480)).toEqual([`${field} 20 of the last 40 h: ${remedy}`]);
    expect(await warningsWhen(() => false)).toEqual([`${field} the last 7 days: ${remedy}`]);
  });

  it("on a server that is unknown is a warning", async () => {
    const zero = { min_replicas: 0, scale_to_zero: { activation: [activation] } };
    const object = { spec: { ...spec, ...zero } };
    expect(warnings(await review(clusterWith(["us"]), { object }))).toContainEqual(
      expect.stringMatching(/^spec\.scale_to_zero\.activation\[0\]\.prometheus\.server: server main is not known/),
    );
  });
});

describe("a slow API server", () => {
  useFakeTime();

  it("holds the answer up for no more than 1 s", async () => {
    const slow = new FakeApi(({ timeoutSeconds = 10, path }: Call) => {
      return new Promise((_, reject) =>
        setTimeout(
          () => reject(new ApiError(0, "TimeoutError", `GET ${path}: no answer in time`)),
          timeoutSeconds * 1000,
        ),
      );
    });
    let verdict: Verdict | undefined;
    void review(slow, asked()).then(result => (verdict = result));
    await pass(1);
    expect(verdict && warnings(verdict)).toHaveLength(3);
    for (const { timeoutSeconds } of slow.calls) expect(timeoutSeconds).toBe(1);
  });
});
