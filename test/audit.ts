import { createReadStream, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { shardOf } from "../capabilities/kubernetes/namespaces";
import { startComponent, stopComponent } from "../sandbox/api";
import { sandboxPaths } from "../sandbox/paths";

/** The name of the Lease of a shard. */
const leasePattern = /^mlscaler-shard-(\d+)$/;

const podName = "authentication.kubernetes.io/pod-name";

/** The audit policy: Leases with their bodies, and who writes statuses and scales. */
const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "Request",
      verbs: ["create", "update", "patch"],
      resources: [{ group: "coordination.k8s.io", resources: ["leases"] }],
      namespaces: ["pepr-system"],
    },
    {
      level: "Metadata",
      verbs: ["update", "patch"],
      resources: [
        { group: "example.com", resources: ["mlscalers/status"] },
        { group: "apps", resources: ["deployments/scale"] },
      ],
    },
    { level: "None" },
  ],
};

const eventSchema = z.object({
  requestReceivedTimestamp: z.string(),
  stageTimestamp: z.string(),
  user: z.object({ extra: z.record(z.string(), z.array(z.string())).default({}) }),
  objectRef: z.object({ resource: z.string(), namespace: z.string().default(""), name: z.string().default("") }),
  responseStatus: z.object({ code: z.number() }).prefault({ code: 0 }),
  requestObject: z
    .object({
      metadata: z.object({ name: z.string().default("") }).prefault({}),
      spec: z.object({ holderIdentity: z.string().default("") }).prefault({}),
    })
    .optional(),
});

/** An event of an audit log of the API server. */
export type AuditEvent = z.infer<typeof eventSchema>;

/** The writes of statuses and scales in an audit log. */
export interface Writes {
  all: number;
  /** Those by another pod than the holder of the shard, each with its time, pod, object and holder. */
  byOthers: string[];
}

/**
 * Which writes of the module's statuses and scales were by another pod than the holder of the shard of their namespace.
 * The holder is the one in the newest write of the Lease that had ended before the write began, or in one that was
 * under way during it. Pure.
 * @param events of an audit log, in any order
 * @param shards the number of shards
 * @param since the time of the first write that counts, epoch milliseconds
 */
export function writesOf(events: AuditEvent[], shards: number, since = -Infinity): Writes {
  const holders = new Map<number, { from: number; to: number; holder: string }[]>();
  for (const { objectRef, requestObject, responseStatus, ...event } of events) {
    const shard = leasePattern.exec(objectRef.name || (requestObject?.metadata.name ?? ""))?.[1];
    if (objectRef.resource !== "leases" || shard === undefined || responseStatus.code >= 300) continue;
    const holder = requestObject?.spec.holderIdentity.split("_")[0] ?? "";
    const [from, to] = timesOf(event);
    const all = holders.get(Number(shard)) ?? [];
    holders.set(Number(shard), [...all, { from, to, holder }]);
  }
  for (const all of holders.values()) all.sort((one, other) => one.to - other.to);
  const writes: Writes = { all: 0, byOthers: [] };
  for (const { objectRef, user, ...event } of events) {
    const [pod] = user.extra[podName] ?? [];
    if (objectRef.resource === "leases" || pod === undefined || !pod.includes("mlscaler-watcher")) continue;
    const [from, to] = timesOf(event);
    if (from < since) continue;
    writes.all++;
    const known = holders.get(shardOf(objectRef.namespace, shards)) ?? [];
    const before = known.findLast(one => one.to <= from);
    const during = known.filter(one => one.to > from && one.from < to);
    const possible = [before, ...during].map(one => one?.holder ?? "");
    if (!possible.includes(pod))
      writes.byOthers.push(
        `${event.requestReceivedTimestamp} ${pod} wrote ${objectRef.resource} ` +
          `${objectRef.namespace}/${objectRef.name}, held by ${possible.map(one => one || "nobody").join(" or ")}`,
      );
  }
  return writes;
}

const timesOf = (event: Pick<AuditEvent, "requestReceivedTimestamp" | "stageTimestamp">): [number, number] => [
  Date.parse(event.requestReceivedTimestamp),
  Date.parse(event.stageTimestamp),
];

/** The audit log of a sandbox's API server. */
export class AuditLog {
  readonly #folder: string;

  constructor(readonly sandbox: string) {
    this.#folder = join(sandboxPaths(sandbox).root, "audit");
  }

  /** Starts the API server again, with an empty audit log. */
  async start(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder);
    const policyFile = join(this.#folder, "policy.json");
    writeFileSync(policyFile, JSON.stringify(policy));
    await stopComponent("apiserver", this.sandbox);
    await startComponent("apiserver", this.sandbox, {
      "audit-policy-file": policyFile,
      "audit-log-path": this.#log,
    });
  }

  /** All events so far. */
  async events(): Promise<AuditEvent[]> {
    const events: AuditEvent[] = [];
    for await (const line of createInterface({ input: createReadStream(this.#log) }))
      if (line) events.push(eventSchema.parse(JSON.parse(line)));
    return events;
  }

  get #log(): string {
    return join(this.#folder, "audit.log");
  }
}
