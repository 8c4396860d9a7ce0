import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { controlGroupOf, isUnified } from "../../sandbox/node/control-groups";
import { kube, until } from "../e2e/cluster";
import { usageOf } from "../usage";

const podSchema = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), deletionTimestamp: z.string().optional() }),
  status: z.object({
    qosClass: z.string(),
    podIP: z.string().default(""),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    containerStatuses: z
      .array(
        z.object({
          containerID: z.string().default(""),
          restartCount: z.number(),
          state: z.object({ running: z.object({}).optional() }),
          lastState: z.object({ terminated: z.object({ reason: z.string() }).optional() }),
        }),
      )
      .default([]),
  }),
});

/** A pod of one container. */
export interface Pod {
  name: string;
  uid: string;
  qosClass: string;
  /** "" until it has one. */
  address: string;
  ready: boolean;
  restarts: number;
  /** Why the container ended the last time, such as OOMKilled. */
  lastEnd?: string;
  /** Without the name of the runtime. */
  containerId: string;
}

/** The pods with these labels that are not being deleted. */
async function podsOf(namespace: string, selector: string): Promise<Pod[]> {
  const list = await kube(["get", "pods", "-n", namespace, "-l", selector, "-o", "json"]);
  const { items } = z.object({ items: z.array(podSchema) }).parse(JSON.parse(list));
  return items.flatMap(({ metadata, status }) => {
    const [container] = status.containerStatuses;
    if (metadata.deletionTimestamp !== undefined || !container) return [];
    return {
      ...{ name: metadata.name, uid: metadata.uid, qosClass: status.qosClass, address: status.podIP },
      ready: status.conditions.some(({ type, status }) => type === "Ready" && status === "True"),
      restarts: container.restartCount,
      lastEnd: container.lastState.terminated?.reason,
      containerId: container.containerID.replace(/^.*:\/\//, ""),
    };
  });
}

/** The pods with these labels, when so many of them are ready and no others are there. */
export const readyPods = (namespace: string, selector: string, count: number): Promise<Pod[]> =>
  until(
    `${count} ready pods of ${selector}`,
    async () => {
      const pods = await podsOf(namespace, selector);
      return pods.length === count && pods.every(({ ready }) => ready) && pods;
    },
    { seen: () => kube(["get", "pods", "-n", namespace, "-l", selector]) },
  );

/** What the control group of a container counts. Bytes and seconds. */
export interface Usage {
  /** Memory that the container is charged with. */
  charged: number;
  /** The most since it started. */
  peak: number;
  /** Of `charged`: contents of files, which the kernel drops when memory is short. */
  files: number;
  /** Resident memory of the processes, shared memory included in full. */
  resident: number;
  cpu: number;
  /** Periods of 100 ms in which the container used up its CPU limit. */
  throttled: number;
  outOfMemory: number;
}

/** The usage of a container. Throws when it does not run. */
export function usageOfContainer(pod: Pod): Usage {
  const group = (controller: string): string => controlGroupOf(controller, pod);
  const read = (controller: string, file: string): string => readFileSync(join(group(controller), file), "utf8");
  const number = (controller: string, file: string): number => Number(read(controller, file));
  const field = (controller: string, file: string, name: string): number =>
    Number(new RegExp(`^${name} (\\d+)$`, "m").exec(read(controller, file))?.[1] ?? 0);
  const resident = usageOf(processesOf(pod)).residentBytes;
  const throttled = field("cpu", "cpu.stat", "nr_throttled");
  if (isUnified)
    return {
      ...{ resident, throttled },
      charged: number("memory", "memory.current"),
      peak: number("memory", "memory.peak"),
      files: field("memory", "memory.stat", "file"),
      cpu: field("cpu", "cpu.stat", "usage_usec") / 1e6,
      outOfMemory: field("memory", "memory.events", "oom_kill"),
    };
  return {
    ...{ resident, throttled },
    charged: number("memory", "memory.usage_in_bytes"),
    peak: number("memory", "memory.max_usage_in_bytes"),
    files: field("memory", "memory.stat", "cache"),
    cpu: number("cpuacct", "cpuacct.usage") / 1e9,
    outOfMemory: field("memory", "memory.oom_control", "oom_kill"),
  };
}

/** The processes of a container. */
export const processesOf = (pod: Pod): number[] =>
  readFileSync(join(controlGroupOf("memory", pod), "cgroup.procs"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map(Number);
