import { type CapacityBuffer, type NoBuffer, writeBuffer } from "../nodes/capacity-buffer";
import type { NodesNow } from "../report/report";
import type { Plan, World } from "../scaling/plan";
import type { Scaler } from "./gather";

/**
 * Makes the CapacityBuffer ask for the nodes of a plan. Without one, it empties the buffer, and then deletes one that the
 * MLScaler does not want: Karpenter keeps the nodes of a buffer that is deleted before it is empty. Failures are part of
 * the result. Throws when the Lease was lost.
 */
export async function askForNodes(
  object: Scaler,
  read: CapacityBuffer | NoBuffer | undefined,
  plan?: Pick<Plan, "buffer"> & { world: Pick<World, "hold"> },
): Promise<NodesNow | undefined> {
  if (!read) return undefined;
  if (!("path" in read)) return { problem: read };
  const { found } = read;
  const wanted = plan && wantedBy(plan);
  const isOver = !object.spec.capacity_buffer && found?.spec.replicas === 0;
  const asked = wanted ?? (found && !isOver ? 0 : undefined);
  // The status tells of it first. A process that is killed in between leaves no buffer that nobody knows.
  if (!found && asked !== undefined && !object.status.capacity_buffer)
    return { isWanted: true, replicas: 0, before: 0 };
  const { written, failure } = await writeBuffer(object, read, asked);
  const replicas = written ? asked : found?.spec.replicas;
  const before = found?.spec.replicas ?? 0;
  // What the autoscaler said was about fewer replicas.
  const isPlanned = replicas !== undefined && replicas > before ? undefined : found?.isPlanned;
  return { ...found, isPlanned, isWanted: wanted !== undefined, replicas, before, problem: failure };
}

/** The replicas of the buffer; undefined where none is wanted. One of 0 replicas tells whether it would be served. */
function wantedBy({ buffer, world: { hold } }: NonNullable<Parameters<typeof askForNodes>[2]>): number | undefined {
  const isWanted = buffer && (buffer.asked !== undefined || buffer.replicas > 0 || hold !== undefined);
  return isWanted ? buffer.replicas : undefined;
}

/** A plan whose buffer has grown only if it was written. */
export const withBuffer = (plan: Plan, nodes: NodesNow | undefined): Plan =>
  plan.buffer && nodes?.replicas !== plan.buffer.replicas
    ? { ...plan, buffer: { ...plan.buffer, grewAt: undefined } }
    : plan;
