import { z } from "zod";
import { apiVersionOf, CommonStatus, Resource } from "../../capabilities/definition/resource";
import { Fault, inspect, inspectObject } from "../../capabilities/definition/check";
import { domain } from "../../capabilities/kubernetes/names";
import { easyservice } from "../../capabilities/easyservice/schema";
import { echo } from "../../capabilities/echo/schema";
import { hello } from "../../capabilities/hello/schema";
import {
  manyAutoscalers,
  noAutoscaler,
  scaledByHpa,
  scaledByMLScaler,
} from "../../capabilities/mlscaler/target/conflict-messages";
import { faultsOf, mlscaler, Spec } from "../../capabilities/mlscaler/schema";
import { targetField, targetId, targetOf } from "../../capabilities/mlscaler/target/target";
import { pizzaorder } from "../../capabilities/pizzaorder/schema";
import { scalerOf, TargetScaler } from "../scaler";
import { Position, WrittenObject } from "./objects";
import { faultsBeyondShape, withSuggestion, writtenSchema } from "./shape";

/** The checked kinds. */
export const resources: Resource<unknown, CommonStatus>[] = [mlscaler, easyservice, hello, echo, pizzaorder].map(
  resource => resource as unknown as Resource<unknown, CommonStatus>,
);

/** The most characters of the name of an object. */
const longestName = 253;

/** A fault of an object, and its position in a file. */
export interface LocatedFault extends Position {
  field: string;
  message: string;
}

/** An object of this module's kinds, and its faults. */
export interface CheckedObject {
  file: string;
  kind: string;
  /** With the namespace before it where one is written: "shop/web". Empty for an object without a name. */
  name: string;
  faults: LocatedFault[];
  /** What may be right, and cannot be told from these objects alone. */
  warnings: LocatedFault[];
}

/** The result of checking objects. */
interface CheckResult {
  checked: CheckedObject[];
  /** The number of objects of other kinds. An object without a kind is none. */
  passedOver: number;
}

/**
 * Checks objects as admission does: each object by itself, and those with the same target against each other. Does not
 * check anything that needs a cluster.
 */
export function check(objects: WrittenObject[]): CheckResult {
  const all = objects.map(read);
  const ours = all.flatMap(object => (object.resource ? [{ ...object, ...examined(object, object.resource) }] : []));
  const scalers = ours.flatMap(({ resource, spec, ...object }) =>
    resource?.kind === mlscaler.kind && spec !== undefined ? [{ ...object, spec: spec as Spec }] : [],
  );
  const conflicts = conflictsOf(
    scalers,
    all.flatMap(({ resource, value }) => (resource ? [] : (scalerOf(value) ?? []))),
  );
  const located = (written: WrittenObject, faults: Fault[]): LocatedFault[] =>
    faults
      .map(({ path, field, message }) => ({ ...written.positionOf(path), field, message }))
      .sort((one, other) => one.line - other.line || one.column - other.column);
  const checked = ours.map(({ written, faults, kind, namespace, name }) => ({
    file: written.file,
    kind,
    name: namespace === "" ? name : `${namespace}/${name}`,
    faults: located(written, [...faults, ...(conflicts.get(written)?.faults ?? [])]),
    warnings: located(written, conflicts.get(written)?.warnings ?? []),
  }));
  return { checked, passedOver: all.filter(({ kind }) => kind !== "").length - ours.length };
}

interface ReadObject {
  written: WrittenObject;
  /** Undefined for an object of another module's kind. */
  resource?: Resource<unknown, CommonStatus>;
  apiVersion: string;
  kind: string;
  namespace: string;
  /** Empty for an object without a name. */
  name: string;
  value: { spec?: unknown };
}

const aboutSchema = z.looseObject({
  spec: z.unknown().optional(),
  apiVersion: z.string().catch(""),
  kind: z.string().catch(""),
  metadata: z
    .object({ name: z.string().catch(""), namespace: z.string().catch("") })
    .catch({ name: "", namespace: "" }),
});

function read(written: WrittenObject): ReadObject {
  const about = aboutSchema.safeParse(written.value);
  if (!about.success) return { written, apiVersion: "", kind: "", namespace: "", name: "", value: {} };
  const { apiVersion, kind, metadata } = about.data;
  const resource = resources.find(one => one.kind.toLowerCase() === kind.toLowerCase());
  return { written, resource, apiVersion, kind, ...metadata, value: about.data };
}

const text = z.string();
const words = z.record(text, text.nullable()).nullish();
const anything = z.unknown().optional();

/** The fields around a spec (meta/v1 ObjectMeta). Fields that the API server sets may have any value. */
const aroundSchema = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: z.strictObject({
    name: text.nullish(),
    generateName: text.nullish(),
    namespace: text.nullish(),
    labels: words,
    annotations: words,
    finalizers: z.array(text).nullish(),
    ownerReferences: z.array(z.looseObject({})).nullish(),
    uid: anything,
    resourceVersion: anything,
    generation: anything,
    creationTimestamp: anything,
    deletionTimestamp: anything,
    deletionGracePeriodSeconds: anything,
    managedFields: anything,
    selfLink: anything,
  }),
  spec: anything,
  status: anything,
});

/** The spec of an object without faults, or all faults of the object. */
function examined(
  { written, apiVersion, kind, name, value }: ReadObject,
  resource: Resource<unknown, CommonStatus>,
): { spec?: unknown; faults: Fault[] } {
  const right = apiVersionOf(resource);
  const wrong = apiVersion === "" ? `names no version of ${resource.kind}` : `"${apiVersion}" has no ${resource.kind}`;
  const misnamed: Fault[] = [
    ...(apiVersion === right ? [] : [fault("apiVersion", `${wrong}, use ${right}`)]),
    ...(kind === resource.kind ? [] : [fault("kind", `"${kind}" is not known, use ${resource.kind}`)]),
  ];
  const around = inspect(aroundSchema, written.value, { path: [], field: "" });
  const aroundFaults = around.faults.filter(({ field }) => field !== "apiVersion");
  // A fault of the type of a name, or of what it is in, leaves nothing to say about the name.
  const nameless =
    Boolean(name === "" && around.spec?.metadata.generateName) ||
    around.faults.some(({ field }) => field === "metadata" || field === "metadata.name");
  const ruled = nameless || name === "" ? { ...resource, nameRule: undefined } : resource;
  const { spec, faults } = inspectObject(ruled, name, value.spec);
  const ofName = nameless || faults.some(({ field }) => field === "metadata.name") ? [] : faultsOfName(name);
  const found = [...misnamed, ...written.duplicates, ...aroundFaults, ...ofName, ...faults];
  const { shaped, beyond } = spec === undefined ? faultsBeyondShape(ruled, value.spec) : { shaped: spec, beyond: [] };
  const ofTimes = resource.kind === mlscaler.kind && shaped !== undefined ? faultsOf(shaped as Spec) : [];
  const all = [beyond, ofTimes].reduce((told, more) => {
    const fields = new Set(told.map(({ field }) => field));
    return [...told, ...more.filter(({ field }) => !fields.has(field))];
  }, found);
  return all.length === 0
    ? { spec, faults: [] }
    : { faults: all.map(one => withSuggestion(aroundSchema.extend({ spec: writtenSchema(resource) }), one)) };
}

const fault = (field: string, message: string): Fault => ({ path: field.split("."), field, message });

/** The faults of a name by the rules of Kubernetes for all objects. */
function faultsOfName(name: string): Fault[] {
  if (name === "") return [fault("metadata.name", "is required, name the object")];
  if (name.length <= longestName && new RegExp(`^${domain}$`).test(name)) return [];
  const allowed = `at most ${longestName} lower case letters, digits, "-" and ".", a letter or digit first and last`;
  return [fault("metadata.name", `"${name.slice(0, longestName)}" cannot be used, use ${allowed}`)];
}

/** What is wrong with the other scalers of an MLScaler's target. */
interface Conflict {
  faults: Fault[];
  warnings: Fault[];
}

/**
 * The conflicts of MLScalers over their targets. With mode Active no HPA or ScaledObject may be on one, and with Assist,
 * or before a take-over, no more than one.
 */
function conflictsOf(
  scalers: (Pick<ReadObject, "written" | "namespace" | "name"> & { spec: Spec })[],
  autoscalers: TargetScaler[],
): Map<WrittenObject, Conflict> {
  const conflicts = new Map<WrittenObject, Conflict>();
  const first = new Map<string, string>();
  for (const { written, namespace, name, spec } of scalers.filter(({ spec }) => spec.mode !== "Observe")) {
    const target = targetOf(spec);
    const id = targetId(namespace, target);
    const other = first.get(id);
    const names = new Set(autoscalers.filter(one => one.target === id).map(one => one.name));
    const texts = [...names].map(text => ({ text }));
    const [autoscaler, another] = names;
    const mayHaveOne = spec.mode === "Assist" || spec.take_over === true;
    const about = (message: string): Fault => fault(targetField(spec), message);
    conflicts.set(written, {
      faults: [
        ...(other !== undefined && other !== name ? [about(scaledByMLScaler(target, other))] : []),
        ...(autoscaler !== undefined && !mayHaveOne ? [about(scaledByHpa(target, autoscaler))] : []),
        ...(another !== undefined && mayHaveOne ? [about(manyAutoscalers(target, texts))] : []),
      ],
      warnings:
        autoscaler === undefined && spec.mode === "Assist" ? [about(`in these files ${noAutoscaler(target)}`)] : [],
    });
    first.set(id, other ?? name);
  }
  return conflicts;
}
