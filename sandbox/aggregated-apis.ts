import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { Api, isStatus } from "../capabilities/kubernetes/api";
import { apply } from "../capabilities/kubernetes/apply";
import { sandboxPaths } from "./paths";
import { waitFor } from "./wait";

/** The group and the version of an API, such as external.metrics.k8s.io and v1beta1. */
export interface GroupVersion {
  group: string;
  version: string;
}

/** Object paths of the Service and the APIServices. */
const services = "/api/v1/namespaces/kube-system/services";
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";

const fieldManager = "sandbox";

/** Deadline for the API server to serve an API, or to serve it no longer. */
const timeoutMs = 180_000;

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
    const { pki } = sandboxPaths(sandbox);
    const identity = { cert: readFileSync(join(pki, "server.crt")), key: readFileSync(join(pki, "server.key")) };
    this.#server = https.createServer(identity, answer);
  }

  /** Starts the server, without any API. */
  start(): Promise<void> {
    return new Promise(resolve => this.#server.listen(0, "localhost", resolve));
  }

  /** Registers an API and waits until the API server forwards its requests. Throws after 180 s. */
  async register({ group, version }: GroupVersion): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const name = `${version}.${group}`;
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: this.service },
      spec: { type: "ExternalName", externalName: "localhost", ports: [{ port, protocol: "TCP" }] },
    };
    const apiService = {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name },
      spec: {
        ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100 },
        // The certificate is for localhost, and not for the name of the Service.
        insecureSkipTLSVerify: true,
        service: { namespace: "kube-system", name: this.service, port },
      },
    };
    await apply(this.#api, `${services}/${this.service}`, service, fieldManager);
    await apply(this.#api, `${apiServices}/${name}`, apiService, fieldManager);
    this.#registered.set(name, { group, version });
    await waitFor(
      async () => {
        const { status } = apiServiceSchema.parse(await this.#api.get(`${apiServices}/${name}`));
        const isAvailable = status?.conditions?.some(({ type, status }) => type === "Available" && status === "True");
        // The API server updates its list of groups shortly afterwards.
        return isAvailable && (await this.#api.find(`/apis/${group}`)) !== undefined;
      },
      { what: `APIService ${name}`, timeoutMs },
    );
  }

  /** Removes an API, as in a cluster without it. Throws after 180 s. */
  async unregister({ group, version }: GroupVersion): Promise<void> {
    const name = `${version}.${group}`;
    await this.#remove(`${apiServices}/${name}`);
    await waitFor(async () => (await this.#api.find(`/apis/${group}`)) === undefined, {
      ...{ what: `the end of ${group}`, timeoutMs },
    });
    this.#registered.delete(name);
  }

  /** Removes all APIs and ends the server. */
  async stop(): Promise<void> {
    await Promise.all([...this.#registered.values()].map(api => this.unregister(api)));
    await this.#remove(`${services}/${this.service}`);
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  async #remove(path: string): Promise<void> {
    await this.#api.delete(path).catch((error: unknown) => {
      if (!isStatus(error, 404)) throw error;
    });
  }
}
