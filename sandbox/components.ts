import { join } from "node:path";
import type { Program } from "./programs";
import type { SandboxPaths } from "./paths";
import { frontProxyName, type Pki } from "./pki";

/** The components of the control plane, in start order. */
export const componentNames = [
  "etcd",
  "apiserver",
  "controller-manager",
  "scheduler",
  "kwok",
  "metrics-server",
  "prometheus",
] as const;

export type ComponentName = (typeof componentNames)[number];

/** The component of this name. @throws with the list of components when there is none */
export function parseComponent(name: string): ComponentName {
  const found = componentNames.find(known => known === name);
  if (!found) throw new Error(`no component "${name}"; there are ${componentNames.join(", ")}`);
  return found;
}

/** How to start a component and check that it is ready. */
export interface Component {
  program: Program;
  args: string[];
  env?: Record<string, string>;
  /** Path that answers 200 when the component is ready. */
  healthPath: string;
  /** Set when the component serves HTTP instead of HTTPS. */
  plain?: true;
}

/** Settings that the flags depend on. */
export interface ComponentSettings {
  paths: SandboxPaths;
  pki: Pki;
  ports: Record<ComponentName, number>;
  /** etcd requires a peer port even without peers. */
  etcdPeerPort: number;
  /** Configuration file of the admission plugins. */
  admissionConfig: string;
  egressConfig: string;
  kwokConfigs: string[];
  prometheusConfig: string;
}

/** The label that separates the fake nodes from the node whose pods are processes of this machine. */
export const nodeTypeLabel = "type";
export const fakeNodeType = "kwok";
export const processNodeType = "process";

/** The command lines of the control plane. */
export function components(settings: ComponentSettings): Record<ComponentName, Component> {
  return {
    etcd: etcd(settings),
    apiserver: apiserver(settings),
    "controller-manager": controllerManager(settings),
    scheduler: scheduler(settings),
    kwok: kwok(settings),
    "metrics-server": metricsServer(settings),
    prometheus: prometheus(settings),
  };
}

function etcd({ paths, pki, ports, etcdPeerPort }: ComponentSettings): Component {
  const client = `https://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${etcdPeerPort}`;
  return {
    program: "etcd",
    healthPath: "/readyz",
    args: flags({
      name: "sandbox",
      "data-dir": paths.etcd,
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `sandbox=${peer}`,
      "client-cert-auth": "true",
      "trusted-ca-file": pki.ca.cert,
      "cert-file": pki.server.cert,
      "key-file": pki.server.key,
      // The data survives the end of the process, but not of the machine. `down` removes it anyway.
      "unsafe-no-fsync": "true",
    }),
  };
}

function apiserver(settings: ComponentSettings): Component {
  const { paths, pki, ports } = settings;
  return {
    program: "kube-apiserver",
    healthPath: "/readyz",
    args: flags({
      "bind-address": "127.0.0.1",
      "advertise-address": "127.0.0.1",
      "secure-port": ports.apiserver,
      "cert-dir": join(paths.root, "apiserver"),
      "tls-cert-file": pki.server.cert,
      "tls-private-key-file": pki.server.key,
      "client-ca-file": pki.ca.cert,
      "etcd-servers": `https://127.0.0.1:${ports.etcd}`,
      "etcd-cafile": pki.ca.cert,
      "etcd-certfile": pki.server.cert,
      "etcd-keyfile": pki.server.key,
      "authorization-mode": "RBAC,Node",
      // No process listens in this range: the API server reaches Services through the egress proxy.
      "service-cluster-ip-range": "10.96.0.0/16",
      "egress-selector-config-file": settings.egressConfig,
      // The Service `kubernetes` gets no endpoints, because 127.0.0.1 is not a valid endpoint.
      "endpoint-reconciler-type": "none",
      "enable-admission-plugins": "PodNodeSelector",
      "admission-control-config-file": settings.admissionConfig,
      "service-account-issuer": "https://kubernetes.default.svc",
      "service-account-key-file": pki.serviceAccount.public,
      "service-account-signing-key-file": pki.serviceAccount.private,
      "requestheader-client-ca-file": pki.ca.cert,
      "requestheader-allowed-names": frontProxyName,
      "requestheader-extra-headers-prefix": "X-Remote-Extra-",
      "requestheader-group-headers": "X-Remote-Group",
      "requestheader-username-headers": "X-Remote-User",
      "proxy-client-cert-file": pki.frontProxy.cert,
      "proxy-client-key-file": pki.frontProxy.key,
    }),
  };
}

/** Flags of the components that listen on this machine and authenticate callers with the API server. */
const client = ({ paths: { kubeconfig } }: ComponentSettings): Record<string, string> => ({
  kubeconfig,
  "authentication-kubeconfig": kubeconfig,
  "authorization-kubeconfig": kubeconfig,
  "bind-address": "127.0.0.1",
});

/** Flags that controller-manager and scheduler have in common. */
const controller = (settings: ComponentSettings): Record<string, string | number> => ({
  ...client(settings),
  "tls-cert-file": settings.pki.server.cert,
  "tls-private-key-file": settings.pki.server.key,
  "leader-elect": "false",
  "kube-api-qps": 200,
  "kube-api-burst": 400,
});

function controllerManager(settings: ComponentSettings): Component {
  const { pki, ports } = settings;
  return {
    program: "kube-controller-manager",
    healthPath: "/healthz",
    args: flags({
      ...controller(settings),
      "secure-port": ports["controller-manager"],
      "use-service-account-credentials": "true",
      "service-account-private-key-file": pki.serviceAccount.private,
      "root-ca-file": pki.ca.cert,
      // Disables the check of node heartbeats. After a downtime of the API server the check would mark every node and
      // its pods unready, and fake pods would stay unready.
      "node-monitor-grace-period": "8760h",
    }),
  };
}

function scheduler(settings: ComponentSettings): Component {
  const { ports } = settings;
  return {
    program: "kube-scheduler",
    healthPath: "/readyz",
    args: flags({ ...controller(settings), "secure-port": ports.scheduler }),
  };
}

function kwok({ paths, pki, ports, kwokConfigs }: ComponentSettings): Component {
  return {
    program: "kwok",
    healthPath: "/healthz",
    // Without it, kwok also reads ~/.kwok.
    env: { KWOK_WORKDIR: join(paths.root, "kwok") },
    args: [
      ...kwokConfigs.map(file => `--config=${file}`),
      ...flags({
        kubeconfig: paths.kubeconfig,
        "manage-nodes-with-label-selector": `${nodeTypeLabel}=${fakeNodeType}`,
        "node-ip": "127.0.0.1",
        "node-port": ports.kwok,
        "server-address": `127.0.0.1:${ports.kwok}`,
        "tls-cert-file": pki.server.cert,
        "tls-private-key-file": pki.server.key,
        // A restarted kwok does not manage its nodes until the Leases of its previous run have expired.
        "node-lease-duration-seconds": 5,
        // kwok logs a warning at every scrape of a node without pods.
        v: "ERROR",
      }),
    ],
  };
}

function metricsServer(settings: ComponentSettings): Component {
  const { paths, ports } = settings;
  return {
    program: "metrics-server",
    // The excluded check fails until there are pods with metrics.
    healthPath: "/readyz?exclude=metric-storage-ready",
    args: flags({
      ...client(settings),
      "secure-port": ports["metrics-server"],
      "cert-dir": join(paths.root, "metrics-server"),
      "node-selector": `${nodeTypeLabel}=${fakeNodeType}`,
      "kubelet-insecure-tls": "true",
      "kubelet-preferred-address-types": "InternalIP",
      "kubelet-use-node-status-port": "true",
      "kubelet-request-timeout": "5s",
      // The shortest resolution that metrics-server accepts.
      "metric-resolution": "10s",
    }),
  };
}

function prometheus({ paths, ports, prometheusConfig }: ComponentSettings): Component {
  return {
    program: "prometheus",
    healthPath: "/-/ready",
    plain: true,
    args: [
      ...flags({
        "config.file": prometheusConfig,
        "storage.tsdb.path": paths.prometheus,
        "web.listen-address": `127.0.0.1:${ports.prometheus}`,
        // Longer than a sandbox lives, so that no compaction disturbs the tests.
        "storage.tsdb.min-block-duration": "1d",
        // Prometheus scrapes new targets at once.
        "scrape.discovery-reload-interval": "100ms",
        "log.level": "warn",
      }),
      // PrometheusLoad writes history to this receiver.
      "--web.enable-otlp-receiver",
    ],
  };
}

/** Flags in the form of Kubernetes programs: --name=value. */
export function flags(values: Record<string, string | number>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
