import * as z from "zod";

export interface CertificateSettings {
  mode: "Managed" | "CertManager" | "Provided";
  /** The Secret with the certificate, in the module's namespace; absent when files alone provide it. */
  secret: string | undefined;
  /** The Secret with the path of the webhook; absent when a file alone provides it. In mode Managed it is the same. */
  pathSecret: string | undefined;
  webhook: string;
  service: string;
  lifetimeMilliseconds: number;
}

const variables = {
  mode: "MLSCALER_CERTIFICATES",
  secret: "MLSCALER_CERTIFICATE_SECRET",
  pathSecret: "MLSCALER_WEBHOOK_PATH_SECRET",
  webhook: "MLSCALER_WEBHOOK",
  service: "MLSCALER_WEBHOOK_SERVICE",
  lifetime: "MLSCALER_CERTIFICATE_LIFETIME_SECONDS",
} as const;

const modes = ["Managed", "CertManager", "Provided"] as const;

/** 90 days, as Let's Encrypt and cert-manager have by default. */
const defaultLifetimeSeconds = 90 * 86_400;
/** Below it the steps of a renewal, which wait for each other, would not fit in. */
const shortestLifetimeSeconds = 60;
const longestLifetimeSeconds = 10 * 365 * 86_400;

const objectName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, { error: "is not the name of an object: use a-z, 0-9, - and ." });
const name = (fallback: string): z.ZodDefault<z.ZodString> => objectName.default(fallback);

const lifetime = `use whole seconds from ${shortestLifetimeSeconds} to ${longestLifetimeSeconds}`;

const schema = z.object({
  mode: z.enum(modes, { error: `is not a mode: use ${modes.join(", ")}` }).default("Managed"),
  secret: name("mlscaler-webhook-certificate").optional(),
  pathSecret: objectName.optional(),
  webhook: name("pepr-mlscaler"),
  service: name("pepr-mlscaler"),
  lifetime: z
    .string()
    .regex(/^\d{1,9}$/, { error: lifetime })
    .transform(Number)
    .refine(seconds => seconds >= shortestLifetimeSeconds && seconds <= longestLifetimeSeconds, { error: lifetime })
    .default(defaultLifetimeSeconds),
});

/** The settings in the environment. Throws with the name of the variable, its value and the remedy. */
export function certificateSettings(environment: Record<string, string | undefined>): CertificateSettings {
  const given = Object.fromEntries(
    Object.entries(variables).map(([key, name]) => [key, environment[name] || undefined]),
  );
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const [fault] = parsed.error.issues;
    const key = String(fault?.path[0]) as keyof typeof variables;
    throw new Error(`${variables[key]}="${given[key] ?? ""}": ${fault?.message ?? ""}`);
  }
  const { mode, secret, pathSecret, webhook, service, lifetime } = parsed.data;
  if (mode === "CertManager" && given.secret === undefined)
    throw new Error(`${variables.mode}="CertManager": set ${variables.secret} to the secretName of the Certificate`);
  return {
    mode,
    secret: mode === "Managed" ? secret : given.secret,
    pathSecret: mode === "Managed" ? secret : pathSecret,
    webhook,
    service,
    lifetimeMilliseconds: lifetime * 1000,
  };
}
