import config from "../../package.json";
import { readTrace } from "../../cli/simulate/trace";
import { judged, Judged } from "../../cli/survey/judge";
import { step } from "../../cli/survey/load";
import { surveyPageOf } from "../../cli/survey/page";
import { totalsOf } from "../../cli/survey/totals";
import { workloadsOf } from "../../cli/survey/workloads";

const begin = Date.UTC(2026, 2, 2);
const days = 14;
const slots = Array.from({ length: days * 288 }, (_, slot) => slot);

/** A load by steps of five minutes, and the start-up of its pods in seconds. */
interface Load {
  startUpSeconds: number;
  load: (slot: number) => number;
}

/** The page of a survey of four workloads: the load in `csv`, batches, one that only jitters and one that is steady. */
export function surveyOf(csv: string): string {
  const { loads: web, step: webStep } = readTrace("web.csv", csv, { zone: "UTC" });
  // From 0 to 1 without a pattern, the same in each run.
  const jitter = (slot: number): number => ((slot * 7919) % 104_729) / 104_729;
  const loads: Record<string, Load> = {
    // Not "web", as the report of web.csv judges fewer days, and gives another verdict.
    frontend: { startUpSeconds: 180, load: slot => (web[Math.floor((slot * step) / webStep)] ?? NaN) / 50 },
    reports: { startUpSeconds: 480, load: slot => (slot % 72 < 12 ? 16 : 4) * (1 + 0.05 * jitter(slot)) },
    search: { startUpSeconds: 120, load: slot => 6 + 4 * jitter(slot) },
    session: { startUpSeconds: 60, load: slot => 5 + 0.1 * jitter(slot) },
  };
  const found = Object.entries(loads).map(([name, load]) => judgedAs(name, load));
  const order = found.toSorted((one, other) => other.row.saved_replica_hours - one.row.saved_replica_hours);
  const origin = {
    command: "mlscaler survey --prometheus http://localhost:9090 -A --html survey.html",
    at: new Date(begin),
  };
  return surveyPageOf({
    survey: { judged: order, faults: [], left: 0 },
    faults: ["HPA shop/queue: no load of queue is known; give its total as a query"],
    totals: totalsOf(
      order.map(({ row }) => row),
      undefined,
    ),
    span: { from: begin, to: begin + slots.length * step },
    origin,
  });
}

function judgedAs(name: string, { startUpSeconds, load }: Load): Judged {
  const manifest = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      maxReplicas: 100,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "800m" } } },
      ],
    },
  };
  const [workload] = workloadsOf([{ where: name, manifest }], {}, "Assist").workloads;
  if (!workload) throw new Error(`${name} cannot be surveyed`);
  const trace = { startedAt: begin, step, loads: slots.map(load), notes: [] };
  const origin = { command: "mlscaler survey", version: config.version, at: new Date(begin) };
  return judged({ workload, recorded: { trace, startUpSeconds }, origin });
}
