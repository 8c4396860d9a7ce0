import { X509Certificate } from "node:crypto";
import { Lexer, LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { label } from "../schema";

/** The longest entry, in characters: above the certificates of all public authorities. */
const longestEntry = 1 << 18;

// Keys, values, signs and line breaks of YAML. The parser recurses into each bracket; 16,000 ended the process.
const mostTokens = 1000;
const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const header = /^[\x21-\x7e]+$/;

/** No message of this schema shows a value, because users without access to the Secret can read the messages. */
const serverSchema = z
  .strictObject({
    url: z
      .string("url must be text: https://prometheus.monitoring:9090")
      .refine(isServer, "url must be http:// or https://, a host, and no user, query or fragment")
      .transform(url => new URL(url.trim())),
    ca: z.string("ca must be text").refine(isCertificates, "ca must be certificates in PEM").optional(),
    bearer_token: z
      .string("bearer_token must be text")
      .trim()
      .regex(header, "bearer_token must be letters, digits and signs, without a space or line break in it")
      .optional(),
    basic_auth: z
      .strictObject(
        {
          username: z
            .string("basic_auth.username must be text; put it in quotes")
            .regex(/^[^:\p{Cc}]+$/u, "basic_auth.username must not be empty, nor have a colon in it"),
          password: z.string("basic_auth.password must be text; put it in quotes"),
        },
        "basic_auth must be username and password, and nothing else",
      )
      .optional(),
    insecure_skip_verify: z.boolean("insecure_skip_verify must be true or false").default(false),
    insecure: z.boolean("insecure must be true or false").default(false),
    namespaces: z
      .array(
        z.string("namespaces must be a list of names").regex(new RegExp(label), "namespaces must be a list of names"),
        "namespaces must be a list of names of namespaces",
      )
      .optional(),
    namespace_label: z
      .string("namespace_label must be the name of a label: namespace")
      .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, "namespace_label must be letters, digits and _, and not begin with a digit")
      .optional(),
  })
  .refine(
    ({ bearer_token, basic_auth }) => bearer_token === undefined || basic_auth === undefined,
    "bearer_token and basic_auth are given, use one of them",
  )
  .refine(
    ({ url, bearer_token, basic_auth, insecure }) =>
      url.protocol === "https:" || (bearer_token === undefined && basic_auth === undefined) || insecure,
    "the credentials would be sent in clear text, as url is http://; use https://, or set insecure to true",
  );

export type Server = z.output<typeof serverSchema>;

/** Whether the MLScalers of `namespace` may ask the server. Without a list all may. */
export const serves = ({ namespaces }: Server, namespace: string): boolean =>
  namespaces === undefined || namespaces.includes(namespace);

/** Parses an entry of the Secret, a small YAML document. The fault shows nothing of the entry. Pure. */
export function serverOf(text: string): { server: Server } | { fault: string } {
  if (text.length > longestEntry)
    return { fault: `it has ${text.length} characters, where ${longestEntry} are allowed; leave out certificates` };
  if (hasMoreTokens(text))
    return { fault: `it has more than ${mostTokens} parts; leave out keys that are not servers` };
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [error] = document.errors;
  if (error) return { fault: `line ${lines.linePos(error.pos[0]).line} is not YAML (${error.code})` };
  const { success, data, error: faults } = serverSchema.safeParse(contentOf(document));
  if (success) return { server: data };
  const [issue] = faults.issues;
  return { fault: issue?.code === "unrecognized_keys" ? unknownKeys : (issue?.message ?? "it is not a server") };
}

const unknownKeys =
  "it has fields that are not known; " +
  "use url, ca, bearer_token, basic_auth (username, password), insecure_skip_verify, insecure, namespaces and " +
  "namespace_label";

function hasMoreTokens(text: string): boolean {
  const tokens = new Lexer().lex(text);
  for (let count = 0; count <= mostTokens; count++) if (tokens.next().done) return false;
  return true;
}

function contentOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    // An object would need each key as text, and to write nested keys took a second for 500 characters.
    const content: unknown = document.toJS({ maxAliasCount: 0, mapAsMap: true });
    return content instanceof Map ? fieldsOf(content, part => (part instanceof Map ? fieldsOf(part) : part)) : {};
  } catch {
    return {};
  }
}

const fieldsOf = (map: Map<unknown, unknown>, partOf = (part: unknown): unknown => part): object =>
  Object.fromEntries([...map].map(([key, part]) => [String(key), partOf(part)]));

function isServer(text: string): boolean {
  if (!URL.canParse(text.trim())) return false;
  const { protocol, username, password, search, hash } = new URL(text.trim());
  return ["http:", "https:"].includes(protocol) && [username, password, search, hash].every(part => part === "");
}

function isCertificates(text: string): boolean {
  const certificates = text.match(pem) ?? [];
  try {
    return certificates.map(one => new X509Certificate(one)).length > 0;
  } catch {
    return false;
  }
}
