import type { Condition } from "../../capabilities/kubernetes/conditions";
import { EventRecorder } from "../../capabilities/kubernetes/events";
import { Namespaces } from "../../capabilities/kubernetes/namespaces";
import type { Context } from "../../capabilities/operator/custom-object";
import { Turns } from "../../capabilities/operator/turns";
import type { FakeApi } from "./fake-api";

/** What a controller gets of a process that holds its Leases, with `more` instead of the defaults. */
export const contextOf = (api: FakeApi, more: Partial<Context> = {}): Context => ({
  api,
  events: new EventRecorder(api, "mlscaler", "test", () => undefined),
  namespaces: new Namespaces(),
  turns: new Turns(),
  holdsAnyLease: () => true,
  holdsLease: () => true,
  term: () => 1,
  starting: () => false,
  scalable: () => [],
  wake: () => undefined,
  ...more,
});

/** A condition of a status as "STATUS/REASON: MESSAGE". */
export function conditionOf({ conditions = [] }: { conditions?: Condition[] }, type: string): string | undefined {
  const found = conditions.find(condition => condition.type === type);
  return found && `${found.status}/${found.reason}: ${found.message}`;
}

/** The Events that were written, as "TYPE REASON MESSAGE". */
export const toldIn = (api: FakeApi): string[] =>
  api.of("POST").map(({ body }) => {
    const { type, reason, message } = body as Record<"type" | "reason" | "message", string>;
    return `${type} ${reason} ${message}`;
  });

/** Runs a step of a sync, as CustomObject does, in no turn of its own. */
export const inTurn = async <Result>(_step: string, work: () => Result): Promise<Result> => {
  await Promise.resolve();
  return work();
};
