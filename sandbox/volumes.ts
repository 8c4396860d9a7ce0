import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { V1Pod, V1ProjectedVolumeSource, V1Volume, V1KeyToPath } from "@kubernetes/client-node";
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
        const files = await this.files(volume);
        if (files) this.write(volume.name, files);
        else mkdirSync(this.path(volume.name), { recursive: true });
      } catch (error) {
        throw new Error(`volume ${volume.name}`, { cause: error });
      }
    }
  }

  /** The volume's files by name; undefined for an emptyDir. */
  private async files(volume: V1Volume): Promise<Map<string, Buffer> | undefined> {
    if (volume.secret) {
      return this.secret(volume.secret.secretName ?? "", volume.secret.items, volume.secret.optional);
    }
    if (volume.configMap) {
      return this.configMap(volume.configMap.name ?? "", volume.configMap.items, volume.configMap.optional);
    }
    if (volume.projected) return this.projected(volume.name, volume.projected);
    if (volume.emptyDir) return undefined;
    throw new Error("the sandbox supports only secret, configMap, projected and emptyDir volumes");
  }

  private async projected(name: string, volume: V1ProjectedVolumeSource): Promise<Map<string, Buffer>> {
    const files = new Map<string, Buffer>();
    for (const [i, source] of (volume.sources ?? []).entries()) {
      const { serviceAccountToken: token, configMap, secret, downwardAPI } = source;
      if (token) {
        const value = await this.token(`${name}/${i}`, token.expirationSeconds ?? 3600, token.audience);
        files.set(token.path, Buffer.from(value));
      }
      const parts = [
        configMap && (await this.configMap(configMap.name ?? "", configMap.items, configMap.optional)),
        secret && (await this.secret(secret.name ?? "", secret.items, secret.optional)),
      ];
      for (const part of parts) for (const [path, content] of part ?? []) files.set(path, content);
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

  private async secret(name: string, items?: V1KeyToPath[], optional?: boolean): Promise<Map<string, Buffer>> {
    const namespace = this.pod.metadata?.namespace ?? "";
    const secret = await missingIs(optional, this.cluster.core.readNamespacedSecret({ name, namespace }));
    const entries = Object.entries(secret?.data ?? {}).map(
      ([key, value]) => [key, Buffer.from(value, "base64")] as const,
    );
    return select(new Map(entries), items);
  }

  private async configMap(name: string, items?: V1KeyToPath[], optional?: boolean): Promise<Map<string, Buffer>> {
    const namespace = this.pod.metadata?.namespace ?? "";
    const map = await missingIs(optional, this.cluster.core.readNamespacedConfigMap({ name, namespace }));
    const text = Object.entries(map?.data ?? {}).map(([key, value]) => [key, Buffer.from(value)] as const);
    const binary = Object.entries(map?.binaryData ?? {}).map(
      ([key, value]) => [key, Buffer.from(value, "base64")] as const,
    );
    return select(new Map([...text, ...binary]), items);
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

function select(all: Map<string, Buffer>, items: V1KeyToPath[] | undefined): Map<string, Buffer> {
  if (!items) return all;
  return new Map(
    items.map(({ key, path }) => {
      const content = all.get(key);
      if (!content) throw new Error(`no key ${key}`);
      return [path, content];
    }),
  );
}

/** The result of `read`; undefined when it fails and the source is optional. */
async function missingIs<T>(optional: boolean | undefined, read: Promise<T>): Promise<T | undefined> {
  return optional ? read.catch(() => undefined) : read;
}
