import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { V1ConfigMapProjection, V1Pod, V1ProjectedVolumeSource, V1Volume } from "@kubernetes/client-node";
import type { Cluster } from "./cluster";

/** A token of the pod's ServiceAccount and its renewal time (epoch milliseconds). */
interface Token {
  value: string;
  renewAt: number;
}

/**
 * The volumes of one pod as folders of this machine. `refresh` updates them, so that changed Secrets and renewed
 * tokens reach the running process as in a cluster.
 */
export class Volumes {
  private readonly tokens = new Map<string, Token>();

  constructor(
    private readonly cluster: Cluster,
    private readonly pod: V1Pod,
    private readonly folder: string,
  ) {}

  /** The folder of a volume. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** Updates all volumes. @throws with the name of the volume when a Secret, ConfigMap or token is not available */
  async refresh(): Promise<void> {
    for (const volume of this.pod.spec?.volumes ?? []) {
      try {
        this.write(volume.name, await this.files(volume));
      } catch (error) {
        throw new Error(`volume ${volume.name}`, { cause: error });
      }
    }
  }

  /** The volume's files by name. The module's pods have Secrets, and what the API server adds to each pod. */
  private async files({ name, secret, projected }: V1Volume): Promise<Map<string, Buffer>> {
    if (secret && !secret.items && !secret.optional) return this.secret(secret.secretName ?? "");
    if (projected) return this.projected(name, projected);
    throw new Error("the sandbox supports only projected volumes, and whole Secrets");
  }

  private async projected(name: string, volume: V1ProjectedVolumeSource): Promise<Map<string, Buffer>> {
    const files = new Map<string, Buffer>();
    for (const [i, source] of (volume.sources ?? []).entries()) {
      const { serviceAccountToken: token, configMap, downwardAPI } = source;
      if (token) {
        const value = await this.token(`${name}/${i}`, token.expirationSeconds ?? 3600, token.audience);
        files.set(token.path, Buffer.from(value));
      }
      if (configMap) for (const [path, content] of await this.configMap(configMap)) files.set(path, content);
      for (const item of downwardAPI?.items ?? []) {
        files.set(item.path, Buffer.from(podField(this.pod, item.fieldRef?.fieldPath ?? "")));
      }
    }
    return files;
  }

  private async token(key: string, expirationSeconds: number, audience?: string): Promise<string> {
    const known = this.tokens.get(key);
    if (known && Date.now() < known.renewAt) return known.value;
    const { name = "", namespace = "", uid = "" } = this.pod.metadata ?? {};
    const answer = await this.cluster.core.createNamespacedServiceAccountToken({
      name: this.pod.spec?.serviceAccountName ?? "default",
      namespace,
      body: {
        spec: {
          audiences: audience ? [audience] : [],
          expirationSeconds,
          boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
        },
      },
    });
    if (!answer.status) throw new Error("the API server returned no token");
    const lifetime = answer.status.expirationTimestamp.getTime() - Date.now();
    // A kubelet also renews at 80 % of the lifetime.
    this.tokens.set(key, { value: answer.status.token, renewAt: Date.now() + lifetime * 0.8 });
    return answer.status.token;
  }

  private async secret(name: string): Promise<Map<string, Buffer>> {
    const namespace = this.pod.metadata?.namespace ?? "";
    const { data = {} } = await this.cluster.core.readNamespacedSecret({ name, namespace });
    return new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64")]));
  }

  private async configMap({ name = "", items = [] }: V1ConfigMapProjection): Promise<Map<string, Buffer>> {
    const namespace = this.pod.metadata?.namespace ?? "";
    const { data = {} } = await this.cluster.core.readNamespacedConfigMap({ name, namespace });
    return new Map(
      items.map(({ key, path }) => {
        const content = data[key];
        if (content === undefined) throw new Error(`no key ${key} in ConfigMap ${name}`);
        return [path, Buffer.from(content)];
      }),
    );
  }

  private write(name: string, files: Map<string, Buffer>): void {
    const folder = this.path(name);
    mkdirSync(folder, { recursive: true });
    for (const [file, content] of files) {
      const path = join(folder, file);
      const aside = join(folder, `.${file.replaceAll("/", "-")}.new`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(aside, content, { mode: 0o600 });
      renameSync(aside, path);
    }
    for (const file of readdirSync(folder)) {
      const kept = files.has(file) || [...files.keys()].some(path => path.startsWith(`${file}/`));
      if (!kept) rmSync(join(folder, file), { recursive: true, force: true });
    }
  }
}

/** The value of a pod field, for an environment variable or a file. @throws for a field that is not supported */
export function podField(pod: V1Pod, field: string): string {
  const known: Record<string, string | undefined> = {
    "metadata.name": pod.metadata?.name,
    "metadata.namespace": pod.metadata?.namespace,
    "metadata.uid": pod.metadata?.uid,
    "spec.nodeName": pod.spec?.nodeName,
    "spec.serviceAccountName": pod.spec?.serviceAccountName,
    "status.hostIP": "127.0.0.1",
  };
  const value = known[field];
  if (value === undefined) throw new Error(`the sandbox does not support the field ${field}`);
  return value;
}
