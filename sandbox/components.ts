import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "./programs";
import { projectRoot, sandboxSources, type SandboxPaths } from "./paths";
import { commonName, pkiIn } from "./pki";

/** The components of a sandbox, in start order. The first one runs the pods of the module. */
export const componentNames = [
  "runner",
  "etcd",
  "apiserver",
  "controller-manager",
  "scheduler",
  "kwok",
  "metrics-server",
  "prometheus",
] as const;

export type ComponentName = (typeof componentNames)[number];

/** How to start a component and check that it is ready. */
export interface Component {
  /** "node" is the Node of this process. */
  program: Program | "node";
  args: string[];
  env?: Record<string, string>;
  /** Path that answers 200 when the component is ready. */
  healthPath: string;
  /** Set when the component serves HTTP instead of HTTPS. */
  plain?: true;
}

type Flags = Record<string, string | number | boolean>;

/** The port of a component. @throws when the sandbox has no ports yet */
export const portOf = (paths: SandboxPaths, name: ComponentName): number =>
  Number(readFileSync(paths.port, "utf8")) + componentNames.indexOf(name);

export const apiserverPort = (paths: SandboxPaths): number => portOf(paths, "apiserver");

/** Flags of the components that listen on this machine and authenticate callers with the API server. */
const client = ({ kubeconfig }: SandboxPaths, port: number): Flags => ({
  kubeconfig,
  "authentication-kubeconfig": kubeconfig,
  "authorization-kubeconfig": kubeconfig,
  "bind-address": "127.0.0.1",
  "secure-port": port,
});

const serving = ({ pki }: SandboxPaths): Flags => ({
  "tls-cert-file": pkiIn(pki).cert,
  "tls-private-key-file": pkiIn(pki).key,
});

/** Flags that controller-manager and scheduler have in common. */
const controller = (paths: SandboxPaths, port: number): Flags => ({
  ...client(paths, port),
  ...serving(paths),
  "leader-elect": false,
  "kube-api-qps": 200,
  "kube-api-burst": 400,
});

const make: Record<ComponentName, (paths: SandboxPaths, port: number) => Component> = {
  runner: ({ name, kubeconfig }) => ({
    program: "node",
    healthPath: "/",
    env: { KUBECONFIG: kubeconfig },
    args: [join(projectRoot, "dist", "runner.js"), name],
  }),

  etcd: (paths, port) => {
    const { ca, cert, key } = pkiIn(paths.pki);
    const url = `https://127.0.0.1:${port}`;
    // etcd requires a peer port even without peers.
    const peer = `http://127.0.0.1:${portOf(paths, "prometheus") + 1}`;
    return {
      program: "etcd",
      healthPath: "/readyz",
      args: flags({
        name: "sandbox",
        "data-dir": paths.etcd,
        "listen-client-urls": url,
        "advertise-client-urls": url,
        "listen-peer-urls": peer,
        "initial-advertise-peer-urls": peer,
        "initial-cluster": `sandbox=${peer}`,
        "client-cert-auth": true,
        "trusted-ca-file": ca,
        "cert-file": cert,
        "key-file": key,
        // The data survives the end of the process, but not of the machine. `down` removes it anyway.
        "unsafe-no-fsync": true,
      }),
    };
  },

  apiserver: (paths, port) => {
    const { ca, cert, key } = pkiIn(paths.pki);
    return {
      program: "kube-apiserver",
      healthPath: "/readyz",
      args: flags({
        ...serving(paths),
        "bind-address": "127.0.0.1",
        "advertise-address": "127.0.0.1",
        "secure-port": port,
        "cert-dir": join(paths.root, "apiserver"),
        "client-ca-file": ca,
        "etcd-servers": `https://127.0.0.1:${portOf(paths, "etcd")}`,
        "etcd-cafile": ca,
        "etcd-certfile": cert,
        "etcd-keyfile": key,
        "authorization-mode": "RBAC,Node",
        // No process listens in this range: the API server reaches Services through the egress proxy.
        "service-cluster-ip-range": "10.96.0.0/16",
        "egress-selector-config-file": paths.egress,
        // The Service `kubernetes` gets no endpoints, because 127.0.0.1 is not a valid endpoint.
        "endpoint-reconciler-type": "none",
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": cert,
        "service-account-signing-key-file": key,
        "requestheader-client-ca-file": ca,
        "requestheader-allowed-names": commonName,
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-username-headers": "X-Remote-User",
        "proxy-client-cert-file": cert,
        "proxy-client-key-file": key,
      }),
    };
  },

  "controller-manager": (paths, port) => ({
    program: "kube-controller-manager",
    healthPath: "/healthz",
    args: flags({
      ...controller(paths, port),
      "use-service-account-credentials": true,
      "service-account-private-key-file": pkiIn(paths.pki).key,
      "root-ca-file": pkiIn(paths.pki).ca,
      // Disables the check of node heartbeats. After a downtime of the API server the check would mark every node and
      // its pods unready, and fake pods would stay unready.
      "node-monitor-grace-period": "8760h",
    }),
  }),

  scheduler: (paths, port) => ({
    program: "kube-scheduler",
    healthPath: "/readyz",
    args: flags(controller(paths, port)),
  }),

  kwok: (paths, port) => ({
    program: "kwok",
    healthPath: "/healthz",
    // Without it, kwok also reads ~/.kwok.
    env: { KWOK_WORKDIR: join(paths.root, "kwok") },
    args: [
      ...["nodes", "pods", "metrics"].map(file => `--config=${join(sandboxSources, "kwok", `${file}.yaml`)}`),
      ...flags({
        ...serving(paths),
        kubeconfig: paths.kubeconfig,
        "manage-all-nodes": true,
        "node-ip": "127.0.0.1",
        "node-port": port,
        "server-address": `127.0.0.1:${port}`,
        // A restarted kwok does not manage its nodes until the Leases of its previous run have expired.
        "node-lease-duration-seconds": 5,
        // kwok logs a warning at every scrape of a node without pods.
        v: "ERROR",
      }),
    ],
  }),

  "metrics-server": (paths, port) => ({
    program: "metrics-server",
    // The excluded check fails until there are pods with metrics.
    healthPath: "/readyz?exclude=metric-storage-ready",
    args: flags({
      ...client(paths, port),
      "cert-dir": join(paths.root, "metrics-server"),
      "kubelet-insecure-tls": true,
      "kubelet-preferred-address-types": "InternalIP",
      "kubelet-use-node-status-port": true,
      "kubelet-request-timeout": "5s",
      // The shortest resolution that metrics-server accepts.
      "metric-resolution": "10s",
    }),
  }),

  prometheus: (paths, port) => ({
    program: "prometheus",
    healthPath: "/-/ready",
    plain: true,
    args: [
      ...flags({
        "config.file": paths.prometheusConfig,
        "storage.tsdb.path": paths.prometheus,
        "web.listen-address": `127.0.0.1:${port}`,
        // Longer than a sandbox lives, so that no compaction disturbs the tests.
        "storage.tsdb.min-block-duration": "1d",
        // Prometheus scrapes new targets at once.
        "scrape.discovery-reload-interval": "100ms",
        "log.level": "warn",
      }),
      // PrometheusLoad writes history to this receiver.
      "--web.enable-otlp-receiver",
    ],
  }),
};

/** How to start a component. @throws when the sandbox has no ports yet, but for the runner, which chooses them */
export const component = (paths: SandboxPaths, name: ComponentName): Component =>
  make[name](paths, name === "runner" ? 0 : portOf(paths, name));

/** Flags in the form of Kubernetes programs: --name=value. */
export function flags(values: Flags): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
