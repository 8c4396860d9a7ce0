import { existsSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";
import { Api, ApiError, isStatus, tooLarge } from "../capabilities/kubernetes/api";
import { errorFields } from "../capabilities/kubernetes/log";
import { listAll } from "../capabilities/kubernetes/watch";
import { documentsOf, Input, InputError, UsageError } from "./manifests";
import { sourcesOf } from "./validate/files";

/** A kind of objects in the cluster. */
export interface ObjectKind {
  /** The name in messages: "HPA". */
  name: string;
  kind: string;
  /** The version that is read: "autoscaling/v2". */
  apiVersion: string;
  plural: string;
  /** What brings the kind to a cluster, if the cluster itself does not. */
  comesWith?: string;
}

/** Where objects are read from, beside names. */
export interface Sources {
  filename?: string[];
  namespace?: string;
  all?: boolean;
  allNamespaces?: boolean;
  context?: string;
}

/** What was read, and a line for each name or file that could not be read. */
interface Read {
  inputs: Input[];
  faults: string[];
}

/**
 * Reads objects from files, folders, standard input and the cluster. A name is a file or folder if there is one, else
 * an object in the cluster. Throws UsageError for options that do not fit together, InputError without a kubeconfig,
 * and ApiError when the API server fails.
 */
export async function readObjects(kind: ObjectKind, names: string[], options: Sources): Promise<Read> {
  const { filename = [], all, allNamespaces } = options;
  const isEverything = Boolean(all) || Boolean(allNamespaces);
  if (names.length === 0 && filename.length === 0 && !isEverything)
    throw new UsageError(`name a file or ${article(kind)} in the cluster, or use -f FILE, --all or -A`);
  checkNamespaces(options);
  const others = names.filter(name => !isPath(name));
  const inCluster = others.filter(isName);
  const [named] = inCluster;
  if (isEverything && named !== undefined)
    throw new UsageError(`${named}: --all and -A read every ${kind.name}: leave the name or the option out`);
  const noFile = `there is no such file; name a file, - for standard input, or ${article(kind)} in the cluster`;
  const read: Read = {
    inputs: [],
    faults: others.filter(name => !isName(name)).map(name => `${name}: ${noFile}`),
  };
  const paths = [...names.filter(isPath), ...filename];
  for (const path of new Set(paths)) await addTo(read, () => inputsOf(path, read.faults));
  const cluster = isEverything || inCluster.length > 0 ? new Cluster(kind, options) : undefined;
  for (const name of new Set(inCluster)) await addTo(read, async () => (cluster ? [await cluster.get(name)] : []));
  if (isEverything) await addTo(read, async () => (cluster ? cluster.list() : []));
  return read;
}

/** Throws UsageError when both one namespace and all are named. */
export function checkNamespaces({ allNamespaces, namespace }: Sources): void {
  if (allNamespaces && namespace !== undefined)
    throw new UsageError("-A reads all namespaces and -n one: leave one of them out");
}

/** Adds what `read` gives. An InputError becomes a fault. */
async function addTo({ inputs, faults }: Read, read: () => Promise<Input[]>): Promise<void> {
  try {
    inputs.push(...(await read()));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    faults.push(error.message);
  }
}

const isName = (name: string): boolean =>
  /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(name) && !/\.(ya?ml|json)$/.test(name);

const isPath = (name: string): boolean => name === "-" || existsSync(name);

/** The objects in a file or folder. What is not YAML in it becomes a fault. */
async function inputsOf(path: string, faults: string[]): Promise<Input[]> {
  const sources = await sourcesOf([path]);
  return sources.flatMap(({ file, text }) => {
    const read = documentsOf(file, text);
    faults.push(...read.faults);
    return read.inputs;
  });
}

const article = ({ name }: ObjectKind): string => `${/^[AEHIO]/.test(name) ? "an" : "a"} ${name}`;

/** The objects of a kind in the cluster of a context. */
export class Cluster {
  readonly #api: Api;
  readonly #namespace: string;

  /** Throws InputError without a usable kubeconfig. */
  constructor(
    readonly kind: ObjectKind,
    readonly options: Sources,
  ) {
    ({ api: this.#api, namespace: this.#namespace } = apiOf(options));
  }

  /** Throws InputError when there is no such object, and ApiError when the API server fails. */
  async get(name: string): Promise<Input> {
    const { kind } = this;
    try {
      return { where: `${kind.name} ${name}`, manifest: await this.#api.get(`${this.#path(false)}/${name}`) };
    } catch (error) {
      if (!isStatus(error, 404)) throw this.#withRemedy(error);
      const missing = `no ${kind.name} ${name} in namespace ${this.#namespace}`;
      throw new InputError(`there is no file ${name}, and ${missing}; use -n or --context`);
    }
  }

  /** Throws InputError when there is no object or the cluster does not serve the kind, and ApiError. */
  async list(): Promise<Input[]> {
    const { kind, options } = this;
    const objects = await this.find();
    if (!objects) {
      const install = kind.comesWith === undefined ? "" : `install ${kind.comesWith} in it, or `;
      const missing = `the cluster does not serve ${kind.plural} of ${kind.apiVersion}`;
      throw new InputError(`${missing}; ${install}use --context for another`);
    }
    if (objects.length > 0) return objects;
    throw new InputError(
      options.allNamespaces
        ? `there is no ${kind.name} in the cluster; use --context for another`
        : `there is no ${kind.name} in namespace ${this.#namespace}; use -n, -A or --context`,
    );
  }

  /** The objects, read in pages; undefined when the cluster does not serve the kind. Throws ApiError. */
  async find(): Promise<Input[] | undefined> {
    const { kind, options } = this;
    const isWhole = Boolean(options.allNamespaces);
    // A page that failed is read again, and its objects come twice.
    const objects = new Map<string, Input>();
    try {
      await listAll(this.#api, this.#path(isWhole), item => {
        const { metadata } = item as { metadata?: { name?: string; namespace?: string } };
        const name = isWhole ? `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}` : (metadata?.name ?? "");
        // Items of a list have no kind of their own.
        const manifest = { apiVersion: kind.apiVersion, kind: kind.kind, ...(item as object) };
        objects.set(name, { where: `${kind.name} ${name}`, manifest });
      });
      return [...objects.values()];
    } catch (error) {
      if (!isStatus(error, 404)) throw this.#withRemedy(error);
      return undefined;
    }
  }

  /** A failure of the API server, with what the user can do about it in its message. */
  #withRemedy(error: unknown): unknown {
    if (!(error instanceof ApiError)) return error;
    const remedy = remedyOf(error, this.kind, Boolean(this.options.allNamespaces));
    return remedy === undefined ? error : new ApiError(error.status, error.reason, `${error.message}; ${remedy}`);
  }

  #path(isWhole: boolean): string {
    const { apiVersion, plural } = this.kind;
    return `/apis/${apiVersion}/${isWhole ? "" : `namespaces/${this.#namespace}/`}${plural}`;
  }
}

/** The API server of a context, and the namespace that is meant. Throws InputError without a usable kubeconfig. */
export function apiOf({ context, namespace }: Pick<Sources, "context" | "namespace">): { api: Api; namespace: string } {
  const kubeConfig = readKubeConfig();
  const used = kubeConfig.getContextObject(context ?? kubeConfig.getCurrentContext());
  if (context !== undefined && !used)
    throw new InputError(`--context: the kubeconfig has no context ${context}; kubectl config get-contexts lists them`);
  const server = kubeConfig.getCluster(used?.cluster ?? "")?.server;
  if (server === undefined)
    throw new InputError("the kubeconfig has no cluster in its current context; use --context for another");
  if (!server.startsWith("https://"))
    throw new InputError(`${server} of the kubeconfig is not an API server with https; use --context for another`);
  return { api: new Api(context), namespace: namespace ?? used?.namespace ?? "default" };
}

/** What the user can do about a failure of the API server; undefined when nothing is known. */
function remedyOf({ status, reason }: ApiError, { plural }: ObjectKind, isWhole: boolean): string | undefined {
  if (status === 401) return "log in again, or use --context for another cluster";
  if (status === 403 && isWhole)
    return `ask for the right to list ${plural} in all namespaces, or use -n for one of yours`;
  if (status === 403) return `ask for the right to get and list ${plural} there, or use -n for a namespace of yours`;
  if (reason === "InvalidAnswer")
    return "see whether the server of the kubeconfig is an API server, or use --context for another cluster";
  // Without a status nobody answered, unless the answer was too large.
  return status === 0 && reason !== tooLarge
    ? "see whether the API server answers kubectl version, or use --context for another cluster"
    : undefined;
}

function readKubeConfig(): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromDefault();
  } catch (error) {
    throw new InputError(`the kubeconfig cannot be read (${errorFields(error).error}); kubectl config view shows it`);
  }
  // Without any file the library names a server of its own.
  if (kubeConfig.getCurrentContext() === "loaded-context")
    throw new InputError("there is no kubeconfig; set KUBECONFIG to the file that kubectl uses");
  return kubeConfig;
}
