import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { pauseImage } from "../../sandbox/node/containerd";
import { images } from "../../sandbox/node/images";
import { kube } from "../e2e/cluster";

/** How long a request keeps a core busy. */
const busyMilliseconds = 20;

/** No more requests at once, so that a busy machine gets less load and no longer queue. */
const mostAtOnce = 8;

// System time counts, too: on some machines the call that reads the usage takes most of it.
const server = `const used = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
require("http").createServer((request, response) => {
  const end = used() + ${busyMilliseconds * 1000};
  while (used() < end);
  response.end();
}).listen(8080)`;

/** A Deployment of one pod that does nothing. */
export async function createSleeper(namespace: string, name: string): Promise<void> {
  const labels = { app: name };
  const deployment = {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name } },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "sleeper", image: pauseImage }] },
      },
    },
  };
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(deployment));
}

/** A web server whose requests take CPU time, as the Deployment `web` with a Service. It ends within a second. */
export async function createWeb(namespace: string): Promise<void> {
  const labels = { app: "web" };
  const container = {
    ...{ name: "web", image: images.node, command: ["node", "-e", server] },
    ports: [{ containerPort: 8080 }],
    readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1, timeoutSeconds: 5 },
  };
  const deployment = {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
    },
  };
  const service = {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web" } },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  };
  for (const object of [deployment, service]) await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(object));
}

/** Requests to the Service `web` until it is stopped, which use this many cores, or less on a busy machine. */
export class WebLoad {
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;
  #open = 0;

  /** @param address of the Service */
  constructor(
    readonly address: string,
    readonly cores: number,
  ) {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const pause = busyMilliseconds / this.cores;
    while (!this.#stopped.signal.aborted) {
      if (this.#open < mostAtOnce) this.#ask();
      await delay(pause, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
  }

  /** Each request has a connection of its own, which kube-proxy sends to any of the pods. */
  #ask(): void {
    this.#open++;
    const call = request({ host: this.address, port: 80, agent: false, timeout: 10_000 }, response =>
      response.resume(),
    );
    // A pod that ends breaks its connections.
    call.on("error", () => undefined);
    call.on("timeout", () => call.destroy());
    call.on("close", () => this.#open--);
    call.end();
  }
}

/** The address of the Service `web`. */
export const webAddress = (namespace: string): Promise<string> =>
  kube(["get", "service", "web", "-n", namespace, "-o", "jsonpath={.spec.clusterIP}"]);
