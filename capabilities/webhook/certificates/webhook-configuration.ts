import * as z from "zod";
import { moduleName } from "../../kubernetes/names";
import { Certificate, Entry } from "./plan";
import { bundleOf, certificatesIn } from "./secret";

// The manager of `npx pepr deploy`, and ours for a configuration of others: for all, and for the path alone.
const peprManager = "pepr";
const ownManager = moduleName;
const pathManager = `${moduleName}-path`;

/** The annotation of a webhook configuration: the generation after which it was written once more. */
const confirmedAnnotation = "mlscaler.example.com/confirmed-generation";

/** The fields that Pepr 1.1.4 applies (webhookConfigGenerator), and no others. */
const webhookSchema = z.object({
  name: z.string(),
  admissionReviewVersions: z.array(z.string()),
  clientConfig: z.object({
    caBundle: z.string().optional(),
    service: z.object({ name: z.string(), namespace: z.string(), path: z.string().optional() }).optional(),
  }),
  failurePolicy: z.string().optional(),
  matchPolicy: z.string().optional(),
  timeoutSeconds: z.number().optional(),
  namespaceSelector: z.unknown(),
  rules: z.unknown(),
  sideEffects: z.string(),
});

const configurationSchema = z.object({
  metadata: z.object({
    name: z.string(),
    resourceVersion: z.string(),
    generation: z.number(),
    annotations: z.record(z.string(), z.string()).default({}),
    managedFields: z.array(z.object({ manager: z.string().optional(), operation: z.string().optional() })).default([]),
  }),
  webhooks: z.array(webhookSchema).default([]),
});

export type WebhookConfiguration = z.infer<typeof configurationSchema>;

/** Parses a ValidatingWebhookConfiguration. Throws ZodError. */
export const webhookConfigurationOf = (object: unknown): WebhookConfiguration => configurationSchema.parse(object);

/** What the entries of a webhook configuration tell the API server. */
export const entriesOf = ({ webhooks }: WebhookConfiguration): Entry[] =>
  webhooks.map(({ clientConfig: { caBundle = "", service } }) => ({
    trusted: certificatesIn(Buffer.from(caBundle, "base64").toString()),
    path: /^\/validate\/([\w.~-]{1,128})$/.exec(service?.path ?? "")?.[1],
  }));

/** Whether a webhook configuration was written once more after the last change of its entries. */
export const isConfirmed = ({ metadata: { generation, annotations } }: WebhookConfiguration): boolean =>
  annotations[confirmedAnnotation] === String(generation);

/** The merge patch that confirms a configuration; it fails with 409 when that has changed since. */
export const confirming = ({
  metadata: { resourceVersion, generation },
}: WebhookConfiguration): { object: object; fieldManager: string } => ({
  object: { metadata: { resourceVersion, annotations: { [confirmedAnnotation]: String(generation) } } },
  fieldManager: ownManager,
});

/**
 * The server-side apply that writes the trusted CAs, if any, and the path into each entry, and its field manager. What
 * `npx pepr deploy` applied is applied as it does, with all its fields: else the next deploy would fail with a conflict,
 * and fields that are left out would be removed. It fails with 409 when the configuration has changed since.
 */
export function trusting(
  { metadata: { name, resourceVersion, managedFields }, webhooks }: WebhookConfiguration,
  trusted: Certificate[] | undefined,
  path: string | undefined,
): { object: object; fieldManager: string } {
  const isOfPepr = managedFields.some(({ manager, operation }) => manager === peprManager && operation === "Apply");
  const caBundle = trusted && { caBundle: Buffer.from(bundleOf(trusted)).toString("base64") };
  const pathOfWebhook = path === undefined ? {} : { path: `/validate/${path}` };
  const applied = webhooks.map(webhook => {
    const { clientConfig, name } = webhook;
    if (!isOfPepr) return { name, clientConfig: { ...caBundle, service: pathOfWebhook } };
    return {
      ...webhook,
      clientConfig: { ...clientConfig, ...caBundle, service: { ...clientConfig.service, ...pathOfWebhook } },
    };
  });
  const object = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name, resourceVersion },
    webhooks: applied,
  };
  return { object, fieldManager: isOfPepr ? peprManager : trusted ? ownManager : pathManager };
}
