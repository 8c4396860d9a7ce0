import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Namespaces } from "../../../../../capabilities/kubernetes/namespaces";
import { listPods, Pods } from "../../../../../capabilities/mlscaler/metrics/pods/pod-watch";
import { isLive, Pod } from "../../../../../capabilities/mlscaler/metrics/reading";
import { Selector, Selectors } from "../../../../../capabilities/mlscaler/metrics/pods/selectors";
import { FakeApi, forbidden } from "../../../fake-api";
import { pass, useFakeTime } from "../../../time";

describe("listPods", () => {
  const since = "2026-01-01T00:00:30Z";
  const listed = async (...items: object[]): Promise<Pod[]> =>
    listPods(new FakeApi(() => ({ items })), "shop", "app=web");

  it("lists all pods of the selector, from the watch cache", async () => {
    const api = new FakeApi(() => ({ items: [] }));
    expect(await listPods(api, "shop", "app=web,tier in (a,b)")).toEqual([]);
    expect(api.calls).toMatchObject([
      { path: "/api/v1/namespaces/shop/pods", query: { labelSelector: "app=web,tier in (a,b)", resourceVersion: "0" } },
    ]);
  });

  it("has the node of a pod that waited for it for more than ten seconds", async () => {
    const pod = (at: string): object => ({
      metadata: { name: "a", creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: { nodeName: "node-1" },
      status: { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: `2026-01-01T00:00:${at}Z` }] },
    });
    const found = await listed(pod("10"), pod("11"));
    expect(found.map(({ waitedFor }) => waitedFor)).toEqual([undefined, "node-1"]);
  });

  it("has the fields of a pod that HPA's rules need", async () => {
    const pod = {
      metadata: { name: "a", labels: { app: "web", "pod-template-hash": "5f7" } },
      spec: {
        containers: [
          { name: "web", resources: { requests: { cpu: "250m", memory: "1Ki" }, limits: { cpu: "2" } } },
          { name: "bare", resources: {} },
          { name: "barer" },
        ],
        initContainers: [
          { name: "once", resources: { requests: { cpu: "9" } } },
          { name: "proxy", restartPolicy: "Always", resources: { requests: { cpu: "0.1" } } },
        ],
      },
      status: {
        phase: "Running",
        startTime: "2026-01-01T00:00:01Z",
        conditions: [
          { type: "Initialized", status: "True", lastTransitionTime: "2026-01-01T00:00:02Z" },
          { type: "Ready", status: "True", lastTransitionTime: since },
        ],
      },
    };
    expect(await listed(pod)).toEqual([
      {
        name: "a",
        labels: { app: "web", "pod-template-hash": "5f7" },
        phase: "Running",
        deleting: false,
        ready: { status: true, since: Date.parse(since) },
        startedAt: Date.parse("2026-01-01T00:00:01Z"),
        containers: [
          { name: "web", requests: { cpu: 250, memory: 1_024_000 } },
          { name: "bare", requests: {} },
          { name: "barer", requests: {} },
          { name: "proxy", requests: { cpu: 100 } },
        ],
        revision: "5f7",
      },
    ]);
  });

  it("tells since when a pod has a node, or why it has none, in few words", async () => {
    const scheduled = (status: string, rest: object = {}): object => ({
      metadata: { name: "a" },
      status: { conditions: [{ type: "PodScheduled", status, lastTransitionTime: since, ...rest }] },
    });
    const words = "0/5 nodes are available: 5 Insufficient cpu. preemption: 0/5 nodes are available: 5 No victims.";
    const [has, waits, gated, long, timeless] = await listed(
      scheduled("True"),
      scheduled("False", { reason: "Unschedulable", message: words }),
      scheduled("False", { reason: "SchedulingGated", message: "Scheduling is blocked due to non-empty gates." }),
      scheduled("False", { message: "x".repeat(100_000) }),
      scheduled("True", { lastTransitionTime: null }),
    );
    const at = Date.parse(since);
    expect(has).toMatchObject({ scheduledAt: at });
    expect(has).not.toHaveProperty("waits");
    expect(waits?.waits).toEqual({
      ...{ since: at, reason: "Unschedulable", message: "0/5 nodes are available: 5 Insufficient cpu" },
    });
    expect(waits).not.toHaveProperty("scheduledAt");
    expect(gated?.waits?.reason).toBe("SchedulingGated");
    expect(long?.waits?.message.length).toBeLessThan(300);
    expect(timeless).not.toHaveProperty("scheduledAt");
  });

  it("takes a StatefulSet's revision, and any status of Ready but True for not ready", async () => {
    const pods = await listed(
      ...["True", "False", "Unknown"].map(status => ({
        metadata: { name: status, labels: { "controller-revision-hash": "db-1" } },
        status: { phase: "Running", conditions: [{ type: "Ready", status }] },
      })),
    );
    expect(pods.map(({ revision }) => revision)).toEqual(["db-1", "db-1", "db-1"]);
    expect(pods.map(({ ready }) => ready)).toEqual([
      { status: true, since: 0 },
      { status: false, since: 0 },
      { status: false, since: 0 },
    ]);
  });

  it("keeps those that are being deleted or have ended, which do not stay", async () => {
    const pods = await listed(
      { metadata: { name: "runs" }, status: { phase: "Running" } },
      { metadata: { name: "waits" }, status: { phase: "Pending" } },
      { metadata: { name: "failed" }, status: { phase: "Failed" } },
      { metadata: { name: "done" }, status: { phase: "Succeeded" } },
      { metadata: { name: "going", deletionTimestamp: since }, status: { phase: "Running" } },
    );
    expect(pods.map(({ name }) => name)).toEqual(["runs", "waits", "failed", "done", "going"]);
    expect(pods.map(({ deleting }) => deleting)).toEqual([false, false, false, false, true]);
    expect(pods.filter(isLive).map(({ name }) => name)).toEqual(["runs", "waits"]);
  });
});

describe("Pods", () => {
  useFakeTime();

  const selectorOf = (text: string): Selector => new Selectors().of("shop/web", text);
  const pod = (name: string, labels: object = { app: "web" }, namespace = "shop"): object => ({
    metadata: { name, namespace, labels },
    status: { phase: "Running" },
  });

  /** Pods of a fake API server; its lists of one namespace contain only the pod "listed". */
  class Cluster {
    items: object[] = [
      pod("a"),
      pod("b", { app: "web", tier: "x" }),
      pod("c", { app: "api" }),
      pod("d", { app: "web" }, "test"),
    ];
    fault?: Error;
    readonly streams: PassThrough[] = [];
    readonly stop = new AbortController();
    readonly api = new FakeApi(({ method, path }) => {
      if (path !== "/api/v1/pods") return { items: [pod("listed")] };
      if (this.fault) throw this.fault;
      if (method === "GET") return { metadata: { resourceVersion: "10" }, items: this.items };
      const stream = new PassThrough();
      this.streams.push(stream);
      return stream;
    });
    readonly pods = new Pods(this.api, new Namespaces());

    async of(selector = "app=web", namespace = "shop"): Promise<string[]> {
      return (await this.pods.of(namespace, selectorOf(selector))).map(({ name }) => name);
    }

    /** Begins the watch, and waits until it has listed. */
    async watched(): Promise<this> {
      this.pods.start(this.stop.signal);
      await this.of();
      await pass(0);
      return this;
    }

    async tell(type: string, object: object): Promise<void> {
      this.streams.at(-1)?.write(`${JSON.stringify({ type, object })}\n`);
      for (let turn = 0; turn < 10; turn++) await pass(0);
    }
  }

  it("lists at each sync until its watch has listed all, and then never again", async () => {
    const cluster = new Cluster();
    expect(await cluster.of()).toEqual(["listed"]);
    expect(cluster.api.calls.map(({ path }) => path)).toEqual(["/api/v1/namespaces/shop/pods"]);
    await cluster.watched();
    const before = cluster.api.calls.length;
    expect(await cluster.of()).toEqual(["a", "b"]);
    expect(await cluster.of("app=web", "test")).toEqual(["d"]);
    expect(await cluster.of("app=web", "nowhere")).toEqual([]);
    expect(cluster.api.calls).toHaveLength(before);
  });

  it("follows pods that come, change and go", async () => {
    const cluster = await new Cluster().watched();
    await cluster.tell("ADDED", pod("e"));
    await cluster.tell("MODIFIED", pod("b", { app: "other" }));
    await cluster.tell("DELETED", pod("a"));
    expect(await cluster.of()).toEqual(["e"]);
    await cluster.tell("MODIFIED", { ...pod("e"), status: { phase: "Failed" } });
    expect(await cluster.pods.of("shop", selectorOf("app=web"))).toMatchObject([{ name: "e", phase: "Failed" }]);
    for (const name of ["b", "c", "e"]) await cluster.tell("DELETED", pod(name));
    expect(await cluster.of()).toEqual([]);
  });

  it("lists where it may not watch, and throws errors of the list", async () => {
    const cluster = new Cluster();
    cluster.fault = forbidden();
    await cluster.watched();
    expect(await cluster.of()).toEqual(["listed"]);
    const away = new Pods(
      new FakeApi(() => {
        throw forbidden();
      }),
      new Namespaces(),
    );
    await expect(away.of("shop", selectorOf("app=web"))).rejects.toThrow("forbidden");
  });
});
