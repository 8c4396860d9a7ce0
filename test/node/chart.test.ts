import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { images } from "../../sandbox/node/images";
import { projectRoot } from "../../sandbox/paths";
import { atRate, within } from "../bench/admission-load";
import { applyScaler, createDeployment, kube, kubectl, scaler, scalerManifest, until } from "../e2e/cluster";
import { backtestedReviews } from "./admissions";
import { processesOf, type Pod } from "./containers";
import { observe, seconds, tellHandover, type Observed } from "./figures";
import { leftSince, objects } from "./leftovers";
import { handover } from "./probes";
import { admissionPort, deployChart, helm, modulePods, namespace } from "./release";
import { createSleeper, createWeb, WebLoad, webAddress } from "./web";

const shop = "shop";
const example = (name: string): string => join(projectRoot, "examples", `${name}.yaml`);

let before: Set<string>;

beforeAll(async () => {
  await kube(["create", "namespace", namespace]);
  const modes = ["enforce", "warn"].map(mode => `pod-security.kubernetes.io/${mode}=restricted`);
  await kube(["label", "namespace", namespace, ...modes]);
  before = await until("the namespace is complete", async () => {
    const found = await objects();
    const made = [`ServiceAccount ${namespace} default`, `ConfigMap ${namespace} kube-root-ca.crt`];
    return made.every(object => found.has(object)) && found;
  });
  await kube(["create", "namespace", shop]);
  await deployChart(images.module);
});

/** None was killed for want of memory. That it was throttled is told, and no fault. */
function expectWithinLimits(observed: Observed[]): void {
  expect(observed.map(({ outOfMemory }) => outOfMemory)).toEqual(observed.map(() => 0));
}

describe("the first steps, with the chart", () => {
  let load: WebLoad;

  beforeAll(async () => {
    await createWeb(shop);
    await kube(["rollout", "status", "deployment/web", "-n", shop, "--timeout=15m"]);
    load = new WebLoad(await webAddress(shop), 0.3);
  });

  afterAll(() => load.stop());

  it("scale a Deployment by the CPU time that its containers use", async () => {
    await kube(["apply", "-n", shop, "-f", example("mlscaler")]);
    await kube(["wait", "--for=condition=Ready", "mls/web", "-n", shop, "--timeout=15m"]);
    const readyReplicas = async (): Promise<number> =>
      Number(await kube(["get", "deployment", "web", "-n", shop, "-o", "jsonpath={.status.readyReplicas}"]));
    await until(
      "as many pods are ready as the load asks for, 10 for each core",
      async () => {
        const { status } = await scaler(shop, "web");
        const asked = Math.ceil((parseQuantity(status.load ?? "") ?? NaN) * 10);
        return asked >= 2 && status.decision?.reactive === asked && (await readyReplicas()) >= asked;
      },
      { seen: () => kube(["get", "mls,pods", "-n", shop, "-o", "wide"]) },
    );
  });

  it("refuse what is invalid, and what only the webhook knows", async () => {
    const invalid = await kubectl(["apply", "-n", shop, "-f", example("invalid/mlscaler")]);
    expect(invalid.stderr).toContain("spec.min_replicas: Invalid value: 12 is above spec.max_replicas 10");
    const second = scalerManifest("second", {
      target_deployment: "web",
      max_replicas: 3,
      metric: "cpu",
      history_size: 5,
    });
    const { stderr } = await kubectl(["apply", "-n", shop, "-f", "-"], JSON.stringify(second));
    expect(stderr).toContain("Deployment web is already scaled by MLScaler web");
  });
});

describe("the pods", () => {
  it("meet the restricted Pod Security Standard, which the namespace enforces", async () => {
    const { watcher, admission } = await modulePods();
    expect([watcher, ...admission].map(({ restarts }) => restarts)).toEqual([0, 0, 0]);
    const warnings = await kube(["get", "events", "-n", namespace, "-o", "jsonpath={.items[*].message}"]);
    expect(warnings).not.toMatch(/violates PodSecurity|forbidden/);
  });

  it("take little memory and CPU with 21 MLScalers", async () => {
    const names = Array.from({ length: 20 }, (_, number) => `many-${number}`);
    for (const name of names) {
      await createSleeper(shop, name);
      // With two samples it has learned.
      await applyScaler(shop, name, { target_deployment: name, max_replicas: 10, metric: "cpu", history_size: 2 });
    }
    // Until they have samples enough, they are synced more often than their period says.
    await kube(["wait", "--for=condition=ForecastReady", "mls", "--all", "-n", shop, "--timeout=15m"]);
    const { watcher, admission } = await modulePods();
    const work = seconds(30);
    const [ofWatcher, ...ofAdmission] = await Promise.all([
      observe("watcher, 21 MLScalers", watcher, work),
      ...admission.map(pod => observe("admission, 21 MLScalers", pod, work)),
    ]);
    expectWithinLimits([ofWatcher, ...ofAdmission]);
    expect(ofWatcher.charged).toBeLessThan(70e6);
    expect(ofWatcher.percent).toBeLessThan(4);
    for (const { charged, percent } of ofAdmission) {
      expect(charged).toBeLessThan(60e6);
      expect(percent).toBeLessThan(2);
    }
    await kube(["delete", "mls,deployments", ...names, "-n", shop, "--timeout=15m"]);
  });
});

describe("200 admissions a second with backtests", () => {
  it("stay within the limits of the admission pods", async () => {
    const { admission } = await modulePods();
    const endpoints = admission.map(({ address }) => ({ host: address, port: admissionPort }));
    const send = await backtestedReviews(shop, namespace, endpoints);
    const sending = atRate(send, 200, 20, new AbortController().signal);
    const observed = await Promise.all(admission.map(pod => observe("admission, 200 a second", pod, sending)));
    const load = await sending;
    const latency = (share: number): string => `${within(load, share).toFixed(1)} ms`;
    console.log(
      `figure: 200 admissions a second: p50 ${latency(0.5)}, p99 ${latency(0.99)}, longest ${latency(1)}, ` +
        `${load.backtests} of ${load.latencies.length} with a backtest`,
    );
    expectWithinLimits(observed);
    expect((await modulePods()).admission.map(({ restarts }) => restarts)).toEqual([0, 0]);
  });
});

/** The most that a change to the module may interrupt: seconds, and reviews slower than 3 s. */
interface Most {
  unasked: number;
  nobody: number;
  slow: number;
}

/**
 * When pods are asked to end, others take over first, or within the second that a release of the Lease takes. The rest
 * is for busy machines: without a release it would take 15 s.
 */
const whenAsked: Most = { unasked: 1, nobody: 8, slow: 1 };

describe("a change", () => {
  const rollOut = async (): Promise<void> => {
    for (const role of ["watcher", "admission"])
      await kube(["rollout", "status", `deployment/mlscaler-${role}`, "-n", namespace, "--timeout=15m"]);
    await modulePods();
  };

  /** Evicts a pod when the PodDisruptionBudget allows it, as `kubectl drain` does. */
  const evict = async (name: string): Promise<void> => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
    await until("the budget allows it", async () => {
      const { code, stderr } = await kubectl(["create", "--raw", path, "-f", "-"], JSON.stringify(eviction));
      if (code !== 0 && !/disruption budget/.test(stderr)) throw new Error(stderr);
      return code === 0;
    });
  };

  const kill = (pods: Pod[]): void => pods.flatMap(processesOf).forEach(pid => process.kill(pid, "SIGKILL"));

  /** Kills the processes of pods, and waits until the kubelet has restarted them. */
  const untilRestarted = async (pods: Pod[]): Promise<void> => {
    kill(pods);
    const ids = pods.map(({ containerId }) => containerId);
    await until("other containers are ready", async () =>
      (await modulePods()).admission.every(({ containerId }) => !ids.includes(containerId)),
    );
  };

  beforeAll(async () => {
    await createDeployment(shop, "still", 0);
    await applyScaler(shop, "still", { target_deployment: "still", max_replicas: 10, metric: "cpu", history_size: 5 });
  });

  it.each<[what: string, most: Most, work: () => Promise<void>]>([
    ["an upgrade by helm", whenAsked, () => deployChart(images.next)],
    [
      "a restart of both Deployments",
      whenAsked,
      async () => {
        await kube(["rollout", "restart", "deployment", "-n", namespace]);
        await rollOut();
      },
    ],
    [
      "both admission pods evicted, one after the other, as drains of two nodes do",
      whenAsked,
      async () => {
        for (const { name } of (await modulePods()).admission) {
          await evict(name);
          await rollOut();
        }
      },
    ],
    ["the leader killed", { ...whenAsked, nobody: 15 }, async () => kill([(await modulePods()).watcher])],
    ["one admission pod killed", whenAsked, async () => untilRestarted((await modulePods()).admission.slice(1))],
    [
      "both admission pods killed",
      { ...whenAsked, unasked: 15 },
      async () => untilRestarted((await modulePods()).admission),
    ],
  ])("%s", async (what, most, work) => {
    const seen = await handover(shop, "still", work);
    tellHandover(what, seen);
    expect(seen.unaskedSeconds).toBeLessThanOrEqual(most.unasked);
    expect(seen.nobodySeconds).toBeLessThanOrEqual(most.nobody);
    expect(seen.slow).toBeLessThanOrEqual(most.slow);
  });
});

it("leaves nothing when it is uninstalled as docs/how-to/upgrade.md#uninstall says", async () => {
  await kube(["delete", "mls", "--all", "--all-namespaces"]);
  await helm("uninstall", "mlscaler", "--namespace", namespace, "--wait");
  await kube(["delete", "crd", "mlscalers.example.com"]);
  const stored = ["--namespace", namespace, "--selector", "app.kubernetes.io/managed-by=mlscaler"];
  await kube(["delete", "configmap", ...stored]);
  await kube(["delete", "lease", "mlscaler", "--namespace", namespace]);
  await kube(["delete", "namespace", shop]);
  expect(await leftSince(before)).toEqual([]);
});
