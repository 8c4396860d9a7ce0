import { a, Capability, RegisterKind } from "pepr";
import { CommonStatus } from "../definition/resource";
import { answer, Review, Verdict } from "../webhook/admission";
import { Operator } from "./operator";
import { Controller, Kind, Reconciler } from "./reconciler";

/** A capability of the module: Pepr's bindings, and the kind that they feed. */
export interface CapabilityModule {
  capability: Capability;
  reconciler: Kind;
  admission?: { start: (signal: AbortSignal) => void };
}

export type Compose = (operator: Operator) => CapabilityModule;

/** A capability of Pepr for a kind, with its admission and its controller. Throws when the kind has one already. */
export function capabilityOf<Spec, Status extends CommonStatus>(
  operator: Operator,
  controller: Controller<Spec, Status>,
  review?: (review: Review<Spec>) => Promise<Verdict> | Verdict,
): CapabilityModule {
  const { resource } = controller;
  const kind = class extends a.GenericKind {};
  // Pepr knows a kind by the name of its class.
  Object.defineProperty(kind, "name", { value: resource.kind });
  RegisterKind(kind, resource);
  const reconciler = new Reconciler(operator.context, controller);
  const capability = new Capability({ name: resource.kind.toLowerCase(), description: resource.description });
  capability
    .When(kind)
    .IsCreatedOrUpdated()
    .Validate(request => answer(resource, request, review))
    .Watch(object => operator.changed(reconciler, object));
  return { capability, reconciler };
}
