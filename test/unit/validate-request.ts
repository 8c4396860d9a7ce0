import { a, PeprValidateRequest } from "pepr";

type Operation = ConstructorParameters<typeof PeprValidateRequest<a.GenericKind>>[0]["operation"];

/** An admission request as Pepr hands it to a validator: an update when there is a `before`. */
export function validateRequest({
  object,
  before,
}: {
  object: object;
  before?: object;
}): PeprValidateRequest<a.GenericKind> {
  return new PeprValidateRequest<a.GenericKind>({
    uid: "request-1",
    kind: { group: "example.com", version: "v1", kind: "MLScaler" },
    resource: { group: "example.com", version: "v1", resource: "mlscalers" },
    name: "web",
    namespace: "shop",
    operation: (before ? "UPDATE" : "CREATE") as Operation,
    userInfo: {},
    object,
    // As the API server does, where the type says undefined.
    oldObject: (before ?? null) as object | undefined,
  });
}
