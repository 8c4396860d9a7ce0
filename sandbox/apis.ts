import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { Api, isStatus } from "../capabilities/kubernetes/api";
import { apply } from "../capabilities/kubernetes/apply";
import { sandboxPaths } from "./paths";
import { pkiIn } from "./pki";
import { waitFor } from "./wait";

/** The group and the version of an API, such as external.metrics.k8s.io and v1beta1. */
export interface GroupVersion {
  group: string;
  version: string;
}

/** The namespace of the Services. */
const namespace = "kube-system";

/** The Service and the APIService of an API that a port of this machine serves. */
export const registration = ({ group, version }: GroupVersion, service: string, port: number): [object, object] => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service, namespace },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port, protocol: "TCP" }] },
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}` },
    spec: {
      ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100 },
      // The certificate is for localhost, and not for the name of the Service.
      insecureSkipTLSVerify: true,
      service: { namespace, name: service, port },
    },
  },
];

const services = `/api/v1/namespaces/${namespace}/services`;
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const fieldManager = "sandbox";
const timeoutMilliseconds = 600_000;

const apiServiceSchema = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional() }).optional(),
});

/**
 * APIs that this process serves through the aggregator of a sandbox's API server, as a metrics adapter does. The
 * environment has the kubeconfig of the sandbox.
 */
export class AggregatedApis {
  readonly #api = new Api();
  readonly #server: https.Server;
  readonly #registered = new Map<string, GroupVersion>();

  /**
   * @param service name of the Service, in kube-system; only one process may use it at a time
   * @throws when the sandbox is not up
   */
  constructor(
    sandbox: string,
    readonly service: string,
    answer: RequestListener,
  ) {
    const { cert, key } = pkiIn(sandboxPaths(sandbox).pki);
    this.#server = https.createServer({ cert: readFileSync(cert), key: readFileSync(key) }, answer);
  }

  /** Starts the server, without any API. */
  start(): Promise<void> {
    return new Promise(resolve => this.#server.listen(0, "127.0.0.1", resolve));
  }

  /** Registers an API and waits until the API server forwards its requests. */
  async register(api: GroupVersion): Promise<void> {
    await registerApi(this.#api, api, this.service, (this.#server.address() as AddressInfo).port);
    this.#registered.set(nameOf(api), api);
  }

  /** Removes an API, as in a cluster without it. */
  async unregister(api: GroupVersion): Promise<void> {
    await unregisterApi(this.#api, api);
    this.#registered.delete(nameOf(api));
  }

  /** Removes all APIs and ends the server. */
  async stop(): Promise<void> {
    await Promise.all([...this.#registered.values()].map(api => this.unregister(api)));
    await remove(this.#api, `${services}/${this.service}`);
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

const nameOf = ({ group, version }: GroupVersion): string => `${version}.${group}`;

/**
 * Registers an API that a port of this machine serves, and waits until the API server forwards its requests.
 * @param service name of the Service, in kube-system
 * @throws ApiError, and when the API server does not reach the port in time
 */
export async function registerApi(client: Api, api: GroupVersion, service: string, port: number): Promise<void> {
  const name = nameOf(api);
  const [serviceObject, apiService] = registration(api, service, port);
  await apply(client, `${services}/${service}`, serviceObject, fieldManager);
  await apply(client, `${apiServices}/${name}`, apiService, fieldManager);
  const isServed = async (): Promise<boolean> => {
    const { status } = apiServiceSchema.parse(await client.get(`${apiServices}/${name}`));
    const isAvailable = status?.conditions?.some(({ type, status }) => type === "Available" && status === "True");
    // The API server updates its list of groups shortly afterwards.
    return isAvailable === true && (await client.find(`/apis/${api.group}`)) !== undefined;
  };
  await waitFor(isServed, { what: `APIService ${name}`, timeoutMilliseconds });
}

/** Removes an API, and waits until the API server has it no more. Throws ApiError. */
export async function unregisterApi(client: Api, api: GroupVersion): Promise<void> {
  await remove(client, `${apiServices}/${nameOf(api)}`);
  const isGone = async (): Promise<boolean> => (await client.find(`/apis/${api.group}`)) === undefined;
  await waitFor(isGone, { what: `the end of ${api.group}`, timeoutMilliseconds });
}

async function remove(client: Api, path: string): Promise<void> {
  await client.delete(path).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
}
