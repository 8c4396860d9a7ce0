/** A node of an OpenAPI schema, as far as tests look at it. */
interface Node {
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  maxLength?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, Node>;
  items?: Node;
  /** Of a map: what its values are. */
  additionalProperties?: Node;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-validations"?: Validation[];
}

interface Validation {
  rule: string;
  fieldPath?: string;
  message?: string;
  messageExpression?: string;
}

interface Version {
  name: string;
  subresources: Record<string, object>;
  additionalPrinterColumns: { name: string; jsonPath: string; priority?: number }[];
  schema: { openAPIV3Schema: Node };
}

export function versionOf(crd: object): Version {
  const [version] = (crd as { spec: { versions: Version[] } }).spec.versions;
  if (!version) throw new Error("the CRD has no version");
  return version;
}

/** The schema of spec or of status. */
export function schemaOf(crd: object, part: "spec" | "status"): Node {
  const node = versionOf(crd).schema.openAPIV3Schema.properties?.[part];
  if (!node) throw new Error(`the CRD has no ${part}`);
  return node;
}

/** Every node of spec and status, with its path. */
export function nodesOf(crd: object): { path: string; node: Node }[] {
  const walk = (path: string, node: Node): { path: string; node: Node }[] => [
    { path, node },
    ...Object.entries(node.properties ?? {}).flatMap(([name, child]) => walk(`${path}.${name}`, child)),
    ...(node.items ? walk(`${path}[]`, node.items) : []),
    ...(node.additionalProperties ? walk(`${path}{}`, node.additionalProperties) : []),
  ];
  return [...walk("spec", schemaOf(crd, "spec")), ...walk("status", schemaOf(crd, "status"))];
}
