import { join } from "node:path";
import type { Program } from "./programs";
import type { SandboxPaths } from "./paths";
import type { Pki } from "./pki";

/** The parts of the control plane, in the order in which they start. */
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

/** @throws when this is no component, listing those there are */
export function parseComponent(name: string): ComponentName {
  const found = componentNames.find(known => known === name);
  if (!found) throw new Error(`no component "${name}"; there are ${componentNames.join(", ")}`);
  return found;
}

/** How one component is started and how one sees that it is ready. */
export interface Component {
  name: ComponentName;
  program: Program;
  port: number;
  args: string[];
  env?: Record<string, string>;
  /** Path that answers 200 when the component is ready. */
  healthPath: string;
  /** It is HTTP that it speaks there; HTTPS without. */
  plain?: true;
}

/** What the flags depend on. */
export interface ComponentSettings {
  paths: SandboxPaths;
  pki: Pki;
  ports: Record<ComponentName, number>;
  /** etcd wants a port for peers even when it has none. */
  etcdPeerPort: number;
  serviceCidr: string;
  kubeconfigs: { controllerManager: string; scheduler: string };
  /** Configuration file of the admission plugins. */
  admissionConfig: string;
  kwokConfigs: string[];
  prometheusConfig: string;
}

/** The label that tells the scheduler which pods are only pretended and which are processes of this machine. */
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
    name: "etcd",
    program: "etcd",
    port: ports.etcd,
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
      "trusted-ca-file": pki.etcdCa.cert,
      "cert-file": pki.etcd.cert,
      "key-file": pki.etcd.key,
      // The data is thrown away with the sandbox; it survives the end of the process, not of the machine.
      "unsafe-no-fsync": "true",
    }),
  };
}

function apiserver(settings: ComponentSettings): Component {
  const { paths, pki, ports } = settings;
  return {
    name: "apiserver",
    program: "kube-apiserver",
    port: ports.apiserver,
    healthPath: "/readyz",
    args: flags({
      "bind-address": "127.0.0.1",
      "advertise-address": "127.0.0.1",
      "secure-port": ports.apiserver,
      "cert-dir": join(paths.root, "apiserver"),
      "tls-cert-file": pki.apiserver.cert,
      "tls-private-key-file": pki.apiserver.key,
      "client-ca-file": pki.ca.cert,
      "etcd-servers": `https://127.0.0.1:${ports.etcd}`,
      "etcd-cafile": pki.etcdCa.cert,
      "etcd-certfile": pki.etcd.cert,
      "etcd-keyfile": pki.etcd.key,
      "authorization-mode": "RBAC,Node",
      "service-cluster-ip-range": settings.serviceCidr,
      // No endpoints for the Service `kubernetes`: 127.0.0.1 is not a valid one. The sandbox forwards it.
      "endpoint-reconciler-type": "none",
      "enable-admission-plugins": "PodNodeSelector",
      "admission-control-config-file": settings.admissionConfig,
      "service-account-issuer": "https://kubernetes.default.svc",
      "service-account-key-file": pki.serviceAccount.public,
      "service-account-signing-key-file": pki.serviceAccount.private,
      "requestheader-client-ca-file": pki.frontProxyCa.cert,
      "requestheader-allowed-names": "front-proxy-client",
      "requestheader-extra-headers-prefix": "X-Remote-Extra-",
      "requestheader-group-headers": "X-Remote-Group",
      "requestheader-username-headers": "X-Remote-User",
      "proxy-client-cert-file": pki.frontProxy.cert,
      "proxy-client-key-file": pki.frontProxy.key,
    }),
  };
}

function controllerManager({ pki, ports, kubeconfigs }: ComponentSettings): Component {
  const kubeconfig = kubeconfigs.controllerManager;
  return {
    name: "controller-manager",
    program: "kube-controller-manager",
    port: ports["controller-manager"],
    healthPath: "/healthz",
    args: flags({
      kubeconfig,
      "authentication-kubeconfig": kubeconfig,
      "authorization-kubeconfig": kubeconfig,
      "bind-address": "127.0.0.1",
      "secure-port": ports["controller-manager"],
      "tls-cert-file": pki.loopback.cert,
      "tls-private-key-file": pki.loopback.key,
      "use-service-account-credentials": "true",
      "service-account-private-key-file": pki.serviceAccount.private,
      "root-ca-file": pki.ca.cert,
      "leader-elect": "false",
      // An API server that was away for minutes makes every heartbeat look old. Fake pods once marked
      // unready would stay so: nobody here is to evict anything.
      "node-monitor-grace-period": "24h",
      "kube-api-qps": 200,
      "kube-api-burst": 400,
    }),
  };
}

function scheduler({ pki, ports, kubeconfigs }: ComponentSettings): Component {
  const kubeconfig = kubeconfigs.scheduler;
  return {
    name: "scheduler",
    program: "kube-scheduler",
    port: ports.scheduler,
    healthPath: "/readyz",
    args: flags({
      kubeconfig,
      "authentication-kubeconfig": kubeconfig,
      "authorization-kubeconfig": kubeconfig,
      "bind-address": "127.0.0.1",
      "secure-port": ports.scheduler,
      "tls-cert-file": pki.loopback.cert,
      "tls-private-key-file": pki.loopback.key,
      "leader-elect": "false",
      "kube-api-qps": 200,
      "kube-api-burst": 400,
    }),
  };
}

function kwok({ paths, pki, ports, kwokConfigs }: ComponentSettings): Component {
  return {
    name: "kwok",
    program: "kwok",
    port: ports.kwok,
    healthPath: "/healthz",
    // kwok otherwise reads ~/.kwok as well.
    env: { KWOK_WORKDIR: join(paths.root, "kwok") },
    args: [
      ...kwokConfigs.map(file => `--config=${file}`),
      ...flags({
        kubeconfig: paths.kubeconfig,
        "manage-nodes-with-label-selector": `${nodeTypeLabel}=${fakeNodeType}`,
        "node-ip": "127.0.0.1",
        "node-port": ports.kwok,
        "server-address": `127.0.0.1:${ports.kwok}`,
        "tls-cert-file": pki.loopback.cert,
        "tls-private-key-file": pki.loopback.key,
        // A restarted kwok does nothing for its nodes until the Leases of its former life have run out.
        "node-lease-duration-seconds": 5,
        // It warns at every scrape of a node without pods.
        v: "ERROR",
      }),
    ],
  };
}

function metricsServer({ paths, ports }: ComponentSettings): Component {
  return {
    name: "metrics-server",
    program: "metrics-server",
    port: ports["metrics-server"],
    // Not ready without figures, which there are not before there are pods.
    healthPath: "/readyz?exclude=metric-storage-ready",
    args: flags({
      kubeconfig: paths.kubeconfig,
      "authentication-kubeconfig": paths.kubeconfig,
      "authorization-kubeconfig": paths.kubeconfig,
      "bind-address": "127.0.0.1",
      "secure-port": ports["metrics-server"],
      "cert-dir": join(paths.root, "metrics-server"),
      "node-selector": `${nodeTypeLabel}=${fakeNodeType}`,
      "kubelet-insecure-tls": "true",
      "kubelet-preferred-address-types": "InternalIP",
      "kubelet-use-node-status-port": "true",
      "kubelet-request-timeout": "5s",
      // The finest that metrics-server accepts.
      "metric-resolution": "10s",
    }),
  };
}

function prometheus({ paths, ports, prometheusConfig }: ComponentSettings): Component {
  return {
    name: "prometheus",
    program: "prometheus",
    port: ports.prometheus,
    healthPath: "/-/ready",
    plain: true,
    args: [
      ...flags({
        "config.file": prometheusConfig,
        "storage.tsdb.path": paths.prometheus,
        "web.listen-address": `127.0.0.1:${ports.prometheus}`,
        // Sandboxes do not live as long: nothing is compacted beside their tests.
        "storage.tsdb.min-block-duration": "1d",
        // New targets are scraped at once.
        "scrape.discovery-reload-interval": "100ms",
        "log.level": "warn",
      }),
      // History comes in here.
      "--web.enable-otlp-receiver",
    ],
  };
}

/** Flags as the programs of Kubernetes take them: --name=value. */
export function flags(values: Record<string, string | number>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
