import { expect, it } from "vitest";
import { certificateSettings } from "../../../../capabilities/webhook/certificates/settings";

it("has defaults for npx pepr deploy", () => {
  expect(certificateSettings({ MLSCALER_WEBHOOK: "" })).toEqual({
    mode: "Managed",
    secret: "mlscaler-webhook-certificate",
    pathSecret: "mlscaler-webhook-certificate",
    webhook: "pepr-mlscaler",
    service: "pepr-mlscaler",
    lifetimeMilliseconds: 90 * 86_400_000,
  });
});

it("has no Secret of its own where others provide the certificate", () => {
  const byFiles = certificateSettings({ MLSCALER_CERTIFICATES: "Provided" });
  expect([byFiles.secret, byFiles.pathSecret]).toEqual([undefined, undefined]);
  const given = {
    MLSCALER_CERTIFICATES: "CertManager",
    MLSCALER_CERTIFICATE_SECRET: "webhook-tls",
    MLSCALER_WEBHOOK_PATH_SECRET: "webhook-path",
  };
  expect(certificateSettings(given)).toMatchObject({
    ...{ mode: "CertManager", secret: "webhook-tls", pathSecret: "webhook-path" },
  });
});

it.each([
  [
    { MLSCALER_CERTIFICATES: "managed" },
    'MLSCALER_CERTIFICATES="managed": is not a mode: use Managed, CertManager, Provided',
  ],
  [{ MLSCALER_CERTIFICATES: "CertManager" }, "set MLSCALER_CERTIFICATE_SECRET to the secretName of the Certificate"],
  [{ MLSCALER_CERTIFICATE_SECRET: "A b" }, 'MLSCALER_CERTIFICATE_SECRET="A b": is not the name of an object'],
  [{ MLSCALER_WEBHOOK: "-" }, 'MLSCALER_WEBHOOK="-": is not the name'],
  [{ MLSCALER_CERTIFICATE_LIFETIME_SECONDS: "90d" }, 'LIFETIME_SECONDS="90d": use whole seconds from 60 to 315360000'],
  [{ MLSCALER_CERTIFICATE_LIFETIME_SECONDS: "59" }, 'LIFETIME_SECONDS="59": use whole seconds from 60 to 315360000'],
])("names what is wrong in %j, and the remedy", (environment, message) => {
  expect(() => certificateSettings(environment)).toThrow(message);
});
