import { mergePatch } from "../../capabilities/kubernetes/api";
import { errorFields } from "../../capabilities/kubernetes/log";
import { fieldManager } from "../../capabilities/mlscaler/assist/minimum";
import { targetId, targetOf } from "../../capabilities/mlscaler/target/target";
import { yamlOf } from "../conversion";
import { hpaKind } from "../from-hpa";
import { scaledObjectKind } from "../from-keda";
import { InputError } from "../manifests";
import { print, tell } from "../terminal";
import { heldAt, type Manifest, readSaved, restoresReplicas, save } from "./saved";
import { Place, readScaler, remove, ScalerObject, untilGone, untilSynced, writeSpec } from "./scaler-object";
import { type Rival, rivalOf, takingOver } from "./target";

/** How a take-over goes. */
export interface Settings {
  /** The file of the way back. */
  file: string;
  /** How long each step may wait, in ms. */
  timeout: number;
  /** The same command line with `--back -f FILE`. */
  wayBack: string;
  server?: string;
  dryRun: boolean;
  /** Asks the user; resolves to whether to go on. */
  confirmed: () => Promise<boolean>;
}

/**
 * Has an MLScaler scale its target in place of the HPA or ScaledObject that it assists. Throws InputError that says
 * what is left and the way out, and ApiError before anything changed.
 */
export async function takeOver(place: Place, settings: Settings): Promise<void> {
  const object = await readScaler(place);
  const rival = await rivalOf(place, object);
  const { fields, notes } = takingOver(rival, object, settings.server);
  notes.forEach(note => tell(`note: ${note}`));
  const spec = { ...object.spec, ...fields };
  print(`spec of MLScaler ${place.name}, for your manifests:\n${yamlOf([fields])}`);
  await writeSpec(place, object, spec, { dryRun: true });
  const { text } = rival.autoscaler;
  if (settings.dryRun) return print(`${text} would be saved to ${settings.file} and deleted; nothing is changed`);
  if (!(await settings.confirmed())) return print("nothing is changed");
  save(settings.file, rival.manifest, object);
  await orWayOut(`${text} and mode ${object.spec.mode} come back with: ${settings.wayBack}`, () =>
    handedOver(place, object, spec, rival, settings.timeout),
  );
}

async function handedOver(
  place: Place,
  object: ScalerObject,
  spec: object,
  { hpa, autoscaler, manifest, uid }: Rival,
  timeout: number,
): Promise<void> {
  const { api, name } = place;
  await writeSpec(place, object, spec);
  print(`MLScaler ${name} takes over once ${autoscaler.text} is gone; waiting for its sync`);
  await untilSynced(place, timeout);
  if (restoresReplicas(manifest)) {
    const advanced = { restoreToOriginalReplicaCount: false };
    await api.patch(autoscaler.path, mergePatch, { spec: { advanced } });
    print(`${autoscaler.text} does not restore the replicas from before it`);
  }
  await remove(api, autoscaler.path, uid);
  print(`${autoscaler.text} is deleted; waiting for MLScaler ${name} to scale`);
  await untilGone(api, hpa.path, hpa.text, timeout);
  await untilSynced(place, timeout, ({ status }) =>
    status.assist ? `it does not know yet that ${hpa.text} is gone` : undefined,
  );
  print(`MLScaler ${name} scales ${textOf(object)}`);
}

/**
 * Has an MLScaler assist the HPA or ScaledObject of a file, which is created again. Throws InputError that says what is
 * left and the way out, and ApiError before anything changed.
 */
export async function giveBack(place: Place, settings: Settings): Promise<void> {
  const { api, name, namespace } = place;
  const object = await readScaler(place);
  const saved = await readSaved(settings.file, name, namespace);
  const target = textOf(object);
  if (saved.target !== targetId(namespace, targetOf(object.spec)))
    throw new InputError(`${settings.file}: ${saved.name} is not on ${target}`);
  const folder = folderOf(saved.autoscaler, namespace);
  const isThere = (await api.find(`${folder}/${saved.autoscaler.metadata.name}`)) !== undefined;
  const spec = { ...(saved.spec ?? object.spec), mode: "Assist", take_over: undefined };
  const assists = `MLScaler ${name} assists it`;
  if (settings.dryRun)
    return print(`${saved.name} would ${isThere ? "stay" : "be created"}, and ${assists}; nothing is changed`);
  if (!(await settings.confirmed())) return print("nothing is changed");
  await orWayOut(`the same command goes on: ${settings.wayBack}`, async () => {
    if (object.spec.mode === "Active" && !object.spec.take_over)
      await writeSpec(place, object, { ...object.spec, take_over: true });
    if (!isThere) {
      const autoscaler = heldAt(countOf(object), saved, name);
      // A minimum under another field manager is that of the user.
      await api.create(folder, autoscaler, autoscaler === saved.autoscaler ? {} : { query: { fieldManager } });
    }
    print(`${saved.name} is ${isThere ? "there" : "created"}; waiting for MLScaler ${name} to assist it`);
    const assisted = ({ status }: ScalerObject): string | undefined =>
      status.assist ? undefined : `it does not assist ${saved.name} yet`;
    await untilSynced(place, settings.timeout, assisted);
    await writeSpec(place, await readScaler(place), spec);
    await untilSynced(place, settings.timeout, assisted);
    print(`${saved.name} scales ${target}, and ${assists}`);
  });
}

/** The replicas that an MLScaler last set, or saw. */
const countOf = ({
  spec,
  status: { current_replicas: current = 0, predicted_replicas: asked = 0 },
}: ScalerObject): number => (spec.mode === "Active" ? Math.max(current, asked) : current);

/** Runs steps that change the cluster. A failure says the way out, too. */
async function orWayOut(wayOut: string, steps: () => Promise<void>): Promise<void> {
  try {
    await steps();
  } catch (error) {
    throw new InputError(`${errorFields(error).error}\n${wayOut}`);
  }
}

/** The path of the objects of the kind of an autoscaler. */
function folderOf({ apiVersion, kind }: Manifest, namespace: string): string {
  const { plural } = kind === hpaKind.kind ? hpaKind : scaledObjectKind;
  return `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
}

function textOf({ spec }: ScalerObject): string {
  const { kind, name } = targetOf(spec);
  return `${kind} ${name}`;
}
