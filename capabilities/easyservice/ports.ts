import * as z from "zod";
import { distinct, ifGiven, intOrString, matching, NestedRules, Rule, within } from "../definition/rules";
import { dnsLabel, domain } from "../kubernetes/names";

const highestPort = 65535;

const portSchema = z.strictObject({
  name: z.string().max(63).optional().describe("Name of the port, for example http; needed when there are several."),
  protocol: z.enum(["TCP", "UDP", "SCTP"]).default("TCP").describe("TCP, UDP or SCTP."),
  appProtocol: z.string().max(317).optional().describe("What is spoken on the port: http, kubernetes.io/h2c."),
  port: z.int32().describe(`The port of the Service, 1 to ${highestPort}, for example 80.`),
  targetPort: intOrString()
    .optional()
    .describe("Number or name of the port of the container; the same as port by default."),
  nodePort: z.int32().optional().describe("The port on every node, usually 30000 to 32767; by default one is chosen."),
});

/** The ports of the Service (core/v1 ServicePort). */
export const portsSchema = z.array(portSchema).max(32);

export type Port = z.output<typeof portSchema>;

export const rulesAmongPorts: Rule<{ ports: Port[] }>[] = [
  distinct("ports", ["port", "protocol"], "port %s/%s appears more than once, use each once"),
  distinct("ports", ["name"], "the name %s appears more than once, use a name of its own for each port"),
  distinct("ports", ["nodePort", "protocol"], "nodePort %s/%s appears more than once, use each once"),
  {
    path: "ports",
    cel: "size(self.ports) < 2 || self.ports.all(item, has(item.name))",
    check: ({ ports }) => ports.length < 2 || ports.every(({ name }) => name !== undefined),
    message: "port %s has no name, name every port when there are several",
    values: [
      {
        cel: "self.ports.filter(item, !has(item.name))[0].port",
        of: ({ ports }) => ports.find(({ name }) => name === undefined)?.port,
      },
    ],
  },
];

const appProtocol = `^(${domain}/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`;

const portRules: Rule<Port>[] = [
  ifGiven(matching("name", `^${dnsLabel}$`, '"%s" is not the name of a port, use lower case letters, digits and "-"')),
  ifGiven(
    matching(
      "appProtocol",
      appProtocol,
      '"%s" is not a protocol, use a name as "http", or DOMAIN/NAME as "kubernetes.io/h2c"',
    ),
  ),
  within("port", 1, highestPort),
  ifGiven({
    path: "targetPort",
    cel:
      `type(self.targetPort) == int ? self.targetPort >= 1 && self.targetPort <= ${highestPort} : ` +
      `size(self.targetPort) <= 15 && self.targetPort.matches('^${dnsLabel}$') && ` +
      "self.targetPort.matches('[a-z]') && !self.targetPort.contains('--')",
    check: ({ targetPort = 0 }) => isTargetPort(targetPort),
    message:
      '%s is not the port of a container, use 1 to 65535, or a name as "http": ' +
      'at most 15 lower case letters, digits and single "-", with a letter',
    values: ["targetPort"],
  }),
  {
    ...ifGiven<Port>(within("nodePort", 1, highestPort)),
    message: `%s is out of range, use 1 to ${highestPort}, as a rule 30000 to 32767, or leave it out`,
  },
];

/** The names of container ports in Kubernetes (IANA service names, RFC 6335). */
const isTargetPort = (port: number | string): boolean =>
  typeof port === "number"
    ? port >= 1 && port <= highestPort
    : port.length <= 15 && new RegExp(`^${dnsLabel}$`).test(port) && /[a-z]/.test(port) && !port.includes("--");

export const portsRules: NestedRules[] = [{ at: "ports[]", rules: portRules }];
