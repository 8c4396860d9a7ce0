import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { registerApi, unregisterApi } from "../../sandbox/apis";
import type { Keda } from "../../sandbox/build";
import { flags, portOf } from "../../sandbox/components";
import { localEnvironment } from "../../sandbox/controlplane";
import { sandboxPaths } from "../../sandbox/paths";
import { pkiIn } from "../../sandbox/pki";
import { endGroup, start, type ProcessIdentity } from "../../sandbox/processes";
import { api, kube } from "./cluster";
import { sandbox } from "./sandbox";

const externalMetrics = { group: "external.metrics.k8s.io", version: "v1beta1" };
const namespace = "keda";

/**
 * Starts KEDA in the sandbox: its operator, and its adapter as the server of external metrics. Returns what ends both,
 * and removes their CRDs. Throws when the API server does not reach the adapter.
 */
export async function startKeda({ operator, adapter, crds }: Keda): Promise<() => Promise<void>> {
  await kube(["apply", "--server-side", "-f", crds]);
  await kube(["wait", "--for=create", "crd/scaledobjects.keda.sh", "--timeout=60s"]);
  await kube(["wait", "--for=condition=Established", "crd/scaledobjects.keda.sh", "--timeout=60s"]);
  await kube(["create", "namespace", namespace]);
  const paths = sandboxPaths(sandbox);
  const { kubeconfig } = paths;
  // The first ports of a sandbox are for components, and more than there are.
  const [grpc, serving] = [portOf(paths, "prometheus") + 2, portOf(paths, "prometheus") + 3];
  const certificates = certificatesIn(join(paths.root, "keda-certificates"));
  const run = async (name: string, command: string, args: string[]): Promise<ProcessIdentity> => {
    const env = { KUBECONFIG: kubeconfig, WATCH_NAMESPACE: "", POD_NAMESPACE: namespace };
    const { identity } = await start({
      ...{ command, args, env: { ...localEnvironment(), ...env, KEDA_CLUSTER_OBJECT_NAMESPACE: namespace } },
      // Recorded as the sandbox's own, so that `down` ends them.
      ...{ log: join(paths.logs, `${name}.log`), record: join(paths.processes, `${name}.json`) },
    });
    return identity;
  };
  const running = [
    await run("keda-operator", operator, [
      ...["--metrics-bind-address=0", "--health-probe-bind-address=0"],
      ...[`--metrics-service-bind-address=127.0.0.1:${grpc}`, `--cert-dir=${certificates}`],
    ]),
    await run("keda-adapter", adapter, [
      ...flags({ "bind-address": "127.0.0.1", "secure-port": serving, "cert-dir": certificates, port: 0 }),
      ...flags({
        "tls-cert-file": join(certificates, "tls.crt"),
        "tls-private-key-file": join(certificates, "tls.key"),
      }),
      ...["lister", "authentication", "authorization"].map(name => `--${name}-kubeconfig=${kubeconfig}`),
      `--metrics-service-address=127.0.0.1:${grpc}`,
    ]),
  ];
  const stop = async (): Promise<void> => {
    // The operator takes its finalizer away.
    await kube(["delete", "scaledobjects", "--all", "-A", "--timeout=120s"]);
    await unregisterApi(api, externalMetrics);
    await Promise.all(running.map(identity => endGroup(identity, 10_000)));
    await kube(["delete", "-f", crds, "--ignore-not-found", "--timeout=120s"]);
    await kube(["delete", "namespace", namespace, "--wait=false"]);
  };
  await registerApi(api, externalMetrics, "keda-metrics", serving).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return stop;
}

/** The certificate of the sandbox under the names that KEDA reads. */
function certificatesIn(folder: string): string {
  const { ca, cert, key } = pkiIn(sandboxPaths(sandbox).pki);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [from, to] of [
    [ca, "ca.crt"],
    [cert, "tls.crt"],
    [key, "tls.key"],
  ] as const)
    copyFileSync(from, join(folder, to));
  return folder;
}
