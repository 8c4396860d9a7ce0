import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { down, sandboxEnv, status, up } from "../../../sandbox/api";
import { findHelm } from "../../../sandbox/build";
import { type Answer, run as runIn } from "../../run";
import { postStatus } from "../post";
import { servingCertificate } from "../serving-certificate";

const sandbox = "chart-test";
const root = resolve(__dirname, "../../..");
const chart = join(root, "charts/mlscaler");
const namespace = "scaling";

/** Of each wait: the limit of the file. */
const timeout = 900_000;

let helmPath: string;
let folder: string;
/** Values with a certificate of the test. Without them the module makes its own. */
let provided: string;

const run = (command: string, args: string[], input?: string): Promise<Answer> =>
  runIn(command, args, {
    env: { ...process.env, ...sandboxEnv(sandbox), HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder },
    input,
  });

/** The image of the chart. No kubelet is there to pull it. */
const image = ["--set", "image.registry=registry.example.com"];

const helm = (...args: string[]): Promise<Answer> => run(helmPath, args);

async function succeed(answer: Promise<Answer>): Promise<string> {
  const { code, stdout, stderr } = await answer;
  expect(`${code} ${stderr}`, stdout).toMatch(/^0 /);
  return stdout;
}

const kube = (args: string[], input?: string): Promise<string> => succeed(run("kubectl", args, input));

const install = (...args: string[]): Promise<Answer> =>
  helm("install", "mlscaler", chart, "-n", namespace, "--wait", "--timeout", "10m", ...image, ...args);

const upgrade = (...args: string[]): Promise<Answer> =>
  helm("upgrade", "mlscaler", chart, "-n", namespace, "--wait", "--timeout", "10m", ...image, ...args);

/** A namespace whose pods meet the strictest of the Pod Security Standards. */
async function createModuleNamespace(name: string): Promise<void> {
  await kube(["create", "namespace", name]);
  const modes = ["enforce", "warn"].map(mode => `pod-security.kubernetes.io/${mode}=restricted`);
  await kube(["label", "namespace", name, ...modes]);
}

const scaler = (name: string, target: string, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "example.com/v1",
    kind: "MLScaler",
    metadata: { name, namespace: "shop" },
    spec: {
      target_deployment: target,
      ...{ min_replicas: 3, max_replicas: 9, metric: "cpu", history_size: 3, sync_period_seconds: 5 },
      ...spec,
    },
  });

const replicas = (): Promise<string> =>
  kube(["get", "deployment", "web", "-n", "shop", "-o", "jsonpath={.spec.replicas}"]);

/** Changes the lower bound of the MLScaler, and waits until the Deployment has it. */
async function expectToScale(count: number): Promise<void> {
  const patch = JSON.stringify({ spec: { min_replicas: count, max_replicas: count } });
  await kube(["patch", "mls", "web", "-n", "shop", "--type=merge", "-p", patch]);
  await expect.poll(replicas, { timeout }).toBe(String(count));
}

/** Waits until the webhook refuses a second MLScaler on a Deployment, which only it can know. */
const expectToRefuse = (): Promise<void> =>
  expect
    .poll(
      async () => {
        const dryRun = ["apply", "--dry-run=server", "-f", "-"];
        return (await run("kubectl", dryRun, scaler("second", "web"))).stderr;
      },
      { timeout },
    )
    .toContain("Deployment web is already scaled by MLScaler web");

const webhook = ["get", "validatingwebhookconfiguration", "mlscaler", "-o"];

/** The path that API servers use. */
const configuredPath = (): Promise<string> => kube([...webhook, "jsonpath={.webhooks[0].clientConfig.service.path}"]);

/** What a ready admission pod answers on a path, each; 404 when it does not know it. */
async function answersOn(path: string): Promise<(number | undefined)[]> {
  const { pods = [] } = await status(sandbox);
  const asked = pods.filter(({ name, ready, port }) => ready && port !== undefined && name.includes("-admission-"));
  // One may end meanwhile.
  const answers = await Promise.allSettled(asked.map(({ port = 0 }) => postStatus(port, path, "{}")));
  return answers.flatMap(answer => (answer.status === "fulfilled" ? [answer.value] : []));
}

/** A CRD that takes any object, in place of one that an operator would install. */
const anyCrd = (group: string, version: string, kind: string): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind, plural: `${kind.toLowerCase()}s` },
    versions: [
      {
        ...{ name: version, served: true, storage: true },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

// Without a limit: the first time, Go compiles it.
beforeAll(async () => void (helmPath = await findHelm(console.log)), 0);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-chart-"));
  await down(sandbox);
  await up({ name: sandbox, withModule: false });
  await createModuleNamespace(namespace);
  for (const name of ["shop", "blog"]) await kube(["create", "namespace", name]);
  const { cert, key } = await servingCertificate(`mlscaler-webhook.${namespace}.svc`);
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  const files = ["--cert", join(folder, "tls.crt"), "--key", join(folder, "tls.key")];
  await kube(["create", "secret", "tls", "webhook", "-n", namespace, ...files]);
  provided = join(folder, "provided.yaml");
  const certificates = { mode: "Provided", provided: { secretName: "webhook", caBundle: cert } };
  writeFileSync(provided, stringify({ certificates }));
}, 900_000);

afterAll(async () => {
  await down(sandbox);
  rmSync(folder, { recursive: true, force: true });
});

describe("values", () => {
  const foreign = [
    anyCrd("cert-manager.io", "v1", "Certificate"),
    anyCrd("cert-manager.io", "v1", "Issuer"),
    anyCrd("monitoring.coreos.com", "v1", "PodMonitor"),
    anyCrd("monitoring.coreos.com", "v1", "PrometheusRule"),
  ];
  const files = readdirSync(join(__dirname, "chart-values"));

  beforeAll(
    async () => void (await kube(["apply", "-f", "-"], foreign.map(crd => JSON.stringify(crd)).join("\n---\n"))),
  );

  afterAll(
    async () =>
      void (await kube([
        "delete",
        "crd",
        "certificates.cert-manager.io",
        "issuers.cert-manager.io",
        "podmonitors.monitoring.coreos.com",
        "prometheusrules.monitoring.coreos.com",
      ])),
  );

  it("pass helm lint", async () => {
    expect(await succeed(helm("lint", "--strict", chart))).toContain("0 chart(s) failed");
    expect(files.length).toBeGreaterThanOrEqual(10);
  });

  it.each(files)("of %s give manifests that the API server takes", async file => {
    const guard = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy";
    const apis = ["cert-manager.io/v1", "monitoring.coreos.com/v1", guard];
    const versions = apis.flatMap(version => ["--api-versions", version]);
    const rendered = [
      "template",
      "mlscaler",
      chart,
      "-n",
      namespace,
      "-f",
      join(__dirname, "chart-values", file),
      ...image,
    ];
    const manifests = await succeed(helm(...rendered, ...versions));
    const { code, stdout, stderr } = await run("kubectl", ["apply", "--dry-run=server", "-f", "-"], manifests);
    // The network of a node is what the restricted standard does not allow.
    const warned = file === "host-network.yaml" ? /^0 Warning: .*hostNetwork=true\)\n$/ : /^0 $/;
    expect(`${code} ${stderr}`).toMatch(warned);
    expect(stdout).toContain("deployment.apps/");
    expect(manifests).not.toMatch(/kind: Namespace\n|PRIVATE KEY|tls\.key/);
  });

  interface Manifest {
    kind: string;
    metadata: { name: string };
    rules?: { resources?: string[]; verbs: string[] }[];
    spec?: { ingress?: unknown; template?: { spec: { securityContext: { runAsUser?: number } } } };
    data?: unknown;
    webhooks?: { clientConfig: { service: { path?: string } } }[];
  }
  const render = async (...args: string[]): Promise<Manifest[]> =>
    parseAllDocuments(await succeed(helm("template", "mlscaler", chart, "-n", namespace, ...image, ...args))).map(
      document => document.toJS() as Manifest,
    );

  it("on OpenShift leave out the user ids, which it gives itself", async () => {
    const idsOn = async (...args: string[]): Promise<unknown[]> =>
      (await render(...args))
        .filter(({ kind }) => kind === "Deployment")
        .map(({ spec }) => spec?.template?.spec.securityContext.runAsUser);
    expect(await idsOn()).toEqual([65532, 65532]);
    expect(await idsOn("--api-versions", "security.openshift.io/v1")).toEqual([undefined, undefined]);
  });

  it("with the API server's addresses give NetworkPolicies that nobody else passes", async () => {
    const ingress = async (...values: string[]): Promise<object> =>
      Object.fromEntries(
        (await render(...values.flatMap(value => ["--set", value])))
          .filter(({ kind }) => kind === "NetworkPolicy")
          .map(({ metadata, spec }) => [metadata.name, spec?.ingress]),
      );
    const [given, off] = ["networkPolicy.apiServer={10.0.0.1/32,fd00::1/128}", "networkPolicy.enabled=false"];
    expect(await ingress()).toEqual({});
    expect(await ingress(given, off)).toEqual({});
    const from = ["10.0.0.1/32", "fd00::1/128"].map(cidr => ({ ipBlock: { cidr } }));
    const ports = [{ port: "https" }];
    expect(await ingress(given)).toEqual({ "mlscaler-watcher": [], "mlscaler-admission": [{ ports, from }] });
    const prometheus = { podSelector: { matchLabels: { app: "prometheus" } } };
    const named = "networkPolicy.ingressFrom[0].podSelector.matchLabels.app=prometheus";
    expect(await ingress(given, named)).toEqual({
      "mlscaler-watcher": [{ ports, from: [prometheus] }],
      "mlscaler-admission": [{ ports, from: [prometheus, ...from] }],
    });
  });

  it("give rights to write HPAs and ScaledObjects, but not without assist.enabled", async () => {
    const writers = async (...args: string[]): Promise<string[]> =>
      (await render(...args)).flatMap(({ kind, metadata, rules = [] }) =>
        rules
          .filter(({ verbs }) => verbs.includes("patch"))
          .flatMap(({ resources = [] }) => resources.filter(name => /autoscalers|scaledobjects/.test(name)))
          .map(name => `${kind} ${metadata.name} ${name}`),
      );
    const watched = ["--set", "watch.namespaces={shop}"];
    const written = (kind: string): string[] =>
      ["horizontalpodautoscalers", "scaledobjects"].map(name => `${kind} mlscaler-watcher-mlscaler ${name}`);
    expect(await writers()).toEqual(written("ClusterRole"));
    expect(await writers(...watched)).toEqual(written("Role"));
    for (const args of [[], watched]) expect(await writers(...args, "--set", "assist.enabled=false")).toEqual([]);
  });

  it("give the same manifests each time, with an empty Secret and no path: the watcher makes it", async () => {
    const modes = [
      [["--set", "certificates.mode=Managed"], "mlscaler-webhook-certificate"],
      [["-f", provided], "mlscaler-webhook-path"],
    ] as const;
    for (const [args, name] of modes) {
      const manifests = await render(...args);
      expect(await render(...args)).toEqual(manifests);
      const secrets = manifests.filter(({ kind }) => kind === "Secret");
      expect(secrets.map(({ metadata, data }) => [metadata.name, data])).toEqual([[name, undefined]]);
      const paths = manifests.flatMap(({ webhooks = [] }) =>
        webhooks.map(({ clientConfig }) => clientConfig.service.path),
      );
      expect(paths).toEqual([undefined]);
    }
  });
});

describe("a release", () => {
  it("has what the module needs: it scales, and refuses what one object cannot show", async () => {
    await kube(["create", "deployment", "web", "-n", "shop", "--image=nginx"]);
    expect(await succeed(install())).toContain("STATUS: deployed");
    await kube(["apply", "-f", "-"], scaler("web", "web"));
    await expect.poll(replicas, { timeout }).toBe("3");
    await expectToRefuse();
    // It knows that from reading the cluster, with the rights of the admission pods.
    const { stderr } = await run("kubectl", ["apply", "-f", "-"], scaler("nowhere", "nowhere"));
    expect(stderr).toContain("there is no Deployment nowhere");
    expect(stderr).not.toContain("could not be checked");
    await kube(["delete", "mls", "nowhere", "-n", "shop"]);
  });

  it("is asked on a path that nobody can guess, and answers no other", async () => {
    const path = await configuredPath();
    expect(path).toMatch(/^\/validate\/[0-9a-f]{64}$/);
    const stored = ["get", "secret", "mlscaler-webhook-certificate", "-n", namespace, "-o", "jsonpath={.data.path}"];
    expect(`/validate/${Buffer.from(await kube(stored), "base64").toString()}`).toBe(path);
    expect(await answersOn(path)).toEqual([400, 400]);
    const { pods = [] } = await status(sandbox);
    for (const { port = 0, log } of pods) {
      for (const other of ["/validate/mlscaler", "/validate/review", `${path}0`, "/"])
        expect(await postStatus(port, other)).toBe(404);
      expect(readFileSync(log, "utf8")).not.toContain(path.replace("/validate/", ""));
    }
  });

  it("gives a user with the role edit MLScalers, and one with view only their reading", async () => {
    for (const [role, may] of [
      ["edit", "yes"],
      ["view", "no"],
    ] as const) {
      await kube(["create", "rolebinding", role, "-n", "blog", `--clusterrole=${role}`, `--user=${role}er`]);
      const can = (verb: string): Promise<Answer> =>
        run("kubectl", ["auth", "can-i", verb, "mlscalers.example.com", "-n", "blog", `--as=${role}er`]);
      await expect.poll(async () => (await can("get")).stdout.trim(), { timeout }).toBe("yes");
      await expect.poll(async () => (await can("create")).stdout.trim(), { timeout }).toBe(may);
    }
  });

  it("is the only one of the cluster", async () => {
    const second = await helm("install", "second", chart, "-n", "blog", ...image);
    expect(second.stderr).toContain(`MLScaler is installed in this cluster by release ${namespace}/mlscaler`);
    expect(second.stderr).toContain("upgrade that one, or uninstall it first");
  });

  it("can be upgraded and rolled back, with a certificate that is provided and the guard, and goes on to scale", async () => {
    const guarded = scaler("guarded", "nowhere", { guard_replicas: true });
    const told = async (): Promise<string> =>
      (await run("kubectl", ["apply", "--dry-run=server", "-f", "-"], guarded)).stderr;
    const missing = "has no effect without MutatingAdmissionPolicy mlscaler-guard";
    const policies = ["get", "mutatingadmissionpolicies,validatingadmissionpolicies", "-o", "name"];
    const jsonpath = "jsonpath={.status.readyReplicas}";
    const admission = ["get", "deployment", "mlscaler-admission", "-n", namespace, "-o", jsonpath];
    await expect.poll(told, { timeout }).toContain(missing);
    await succeed(upgrade("-f", provided, "--set", "admission.replicas=3,logLevel=debug,guard.enabled=true"));
    expect(await kube(admission)).toBe("3");
    await expectToScale(4);
    await expectToRefuse();
    expect(await told()).not.toContain(missing);
    expect((await kube(policies)).match(/mlscaler-guard$/gm)).toHaveLength(2);
    await succeed(helm("rollback", "mlscaler", "1", "-n", namespace, "--wait", "--timeout", "10m"));
    await expect.poll(() => kube(admission), { timeout }).toBe("2");
    await expectToScale(5);
    // By a certificate of its own again.
    await expectToRefuse();
    expect(await kube(policies)).not.toContain("mlscaler-guard");
  });

  it("acts in the namespaces of watch.namespaces alone, with Roles there", async () => {
    await kube(["create", "deployment", "web", "-n", "blog", "--image=nginx"]);
    await succeed(upgrade("--set", "watch.namespaces={shop}"));
    await kube(["apply", "-f", "-"], scaler("web", "web").replace('"shop"', '"blog"'));
    await expectToScale(6);
    const account = `system:serviceaccount:${namespace}:mlscaler-watcher`;
    const can = async (...args: string[]): Promise<string> =>
      (await run("kubectl", ["auth", "can-i", ...args, "--as", account])).stdout.trim();
    expect(await can("update", "deployments.apps", "--subresource=scale", "-n", "shop")).toBe("yes");
    expect(await can("update", "deployments.apps", "--subresource=scale", "-n", "blog")).toBe("no");
    expect(await can("list", "pods", "-A")).toBe("no");
    expect(await can("list", "mlscalers.example.com", "-A")).toBe("yes");
    const other = ["get", "mls", "web", "-n", "blog", "-o", "jsonpath={.status}{.metadata.finalizers}"];
    expect(await kube(other)).toBe("");
    const { pods = [] } = await status(sandbox);
    for (const { phase, log } of pods) {
      if (phase === "Running") expect(readFileSync(log, "utf8")).not.toContain("forbidden");
    }
    await kube(["delete", "mls", "web", "-n", "blog"]);
  });

  it("leaves the MLScalers and their CRD when it is uninstalled, and nothing else", async () => {
    await succeed(helm("uninstall", "mlscaler", "-n", namespace, "--wait"));
    expect(await kube(["get", "mls", "-n", "shop", "-o", "name"])).toBe("mlscaler.example.com/web\n");
    const everywhere = ["clusterroles", "clusterrolebindings", "validatingwebhookconfigurations"];
    const policies = ["validating", "mutating"].flatMap(kind => [
      `${kind}admissionpolicies`,
      `${kind}admissionpolicybindings`,
    ]);
    const inside = ["deployments", "services", "serviceaccounts", "roles", "rolebindings", "poddisruptionbudgets"];
    const kinds = [...everywhere, ...policies, ...inside].join(",");
    const selector = "app.kubernetes.io/part-of=mlscaler";
    expect(await kube(["get", kinds, "-A", "-l", selector, "-o", "name"])).toBe("");
  });

  it("can be part of another chart, which hands values down", async () => {
    const parent = join(folder, "platform");
    cpSync(chart, join(parent, "charts/mlscaler"), { recursive: true });
    const dependencies = [{ name: "mlscaler", version: "0.1.0", condition: "mlscaler.enabled" }];
    writeFileSync(
      join(parent, "Chart.yaml"),
      stringify({ apiVersion: "v2", name: "platform", version: "1.0.0", dependencies }),
    );
    const own = ["-f", join(folder, "platform-values.yaml")];
    const mlscaler = { admission: { replicas: 1 }, image: { registry: "registry.example.com" } };
    const global = { commonLabels: { team: "platform" }, storageClass: "fast" };
    writeFileSync(join(folder, "platform-values.yaml"), stringify({ global, mlscaler }));
    const refused = await helm("install", "platform", parent, "-n", namespace, ...own);
    expect(refused.stderr).toContain("CRD mlscalers.example.com already exists, made by release scaling/mlscaler");
    // What the sentence says.
    const release = ["meta.helm.sh/release-name=platform", `meta.helm.sh/release-namespace=${namespace}`];
    await kube(["annotate", "--overwrite", "crd", "mlscalers.example.com", ...release]);
    await succeed(helm("install", "platform", parent, "-n", namespace, ...own, "--wait", "--timeout", "10m"));
    await expectToScale(5);
    const labelled = ["get", "deployments", "-n", namespace, "-l", "team=platform", "-o", "name"];
    expect((await kube(labelled)).split("\n").filter(Boolean)).toHaveLength(2);
    await kube(["delete", "mls", "--all", "-n", "shop", "--timeout=15m"]);
    await succeed(helm("uninstall", "platform", "-n", namespace, "--wait"));
  });
});

describe("bad input", () => {
  const faults: [what: string, args: string[], told: string[]][] = [
    ["a type", ["--set", "watcher.replicas=two"], ["/watcher/replicas", "got string, want integer"]],
    ["a field that is not there", ["--set", "watchers.replicas=2"], ["additional properties 'watchers' not allowed"]],
    ["a digest", ["--set", "image.digest=latest"], ["/image/digest", "does not match pattern"]],
    ["no resource", ["--set", "resources.mlscaler.enabled=false"], ["set resources.mlscaler.enabled=true"]],
    [
      "an image without the module",
      ["--set", "image.repository=ghcr.example.com/pepr/controller"],
      ["is Pepr's image, which has no module in it", "npm run image"],
    ],
    ["no registry", ["--set", "image.registry="], ["image.registry: is missing", "set image.registry"]],
    ["no cert-manager", ["--set", "certificates.mode=CertManager"], ["cert-manager", "install cert-manager first"]],
    ["no certificate", ["--set", "certificates.mode=Provided"], ["needs secretName", "or mode Managed"]],
    ["the kubelet's port", ["--set", "admission.hostNetwork=true"], ["the kubelet has 10250", "set another"]],
    ["no Prometheus operator", ["--set", "podMonitor.enabled=true"], ["install the Prometheus operator first"]],
    [
      "a Prometheus that gets in nowhere",
      ["--set", "networkPolicy.apiServer={10.0.0.1/32},podMonitor.enabled=true"],
      ["name its pods in networkPolicy.ingressFrom"],
    ],
    ["no address", ["--set", "networkPolicy.apiServer={master}"], ["'master' does not match pattern"]],
    ["no operator for alerts", ["--set", "alerts.enabled=true"], ["or set alerts.enabled=false"]],
    ["its own namespace", ["--set", "watch.namespaces={scaling}"], ["is the namespace of the release", "leave it out"]],
    [
      "a CRD that nobody installed",
      ["--set", "crds.enabled=false,resources.hello.enabled=true"],
      ["CRD helloes.fraim.co.jp is not installed", "set crds.enabled=true"],
    ],
  ];

  it.each(faults)("%s: it is told what to do", async (_, args, told) => {
    const { code, stderr } = await install(...args);
    expect(code).toBe(1);
    for (const words of told) expect(stderr).toContain(words);
  });

  it("the guard on an API server before 1.36 is told to be too new", async () => {
    // Without --api-versions, helm template knows the kinds of Helm's own version of Kubernetes.
    const { code, stderr } = await helm("template", "mlscaler", chart, "--set", "guard.enabled=true", ...image);
    expect(code).toBe(1);
    expect(stderr).toContain("guard.enabled: the API server has no MutatingAdmissionPolicy");
    expect(stderr).toContain("or set guard.enabled=false");
  });

  it("a namespace that is not there is named", async () => {
    const { stderr } = await helm(
      "install",
      "mlscaler",
      chart,
      "-n",
      "nowhere",
      "--set",
      "crds.enabled=false",
      ...image,
    );
    expect(stderr).toContain('namespaces "nowhere" not found');
  });

  it("CRDs of an older version are refused", async () => {
    const version = (text: string): string[] => [
      "annotate",
      "--overwrite",
      "crd",
      "mlscalers.example.com",
      `mlscaler.example.com/version${text}`,
    ];
    await kube(version("=0.0.1"));
    const { stderr } = await install("--set", "crds.enabled=false");
    expect(stderr).toContain("CRD mlscalers.example.com is of version 0.0.1, and this chart needs 0.1.0");
    await kube(version("=0.1.0"));
  });

  it("a module that npx pepr deploy put there is not doubled", async () => {
    const webhook = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" };
    const manifest = JSON.stringify({ ...webhook, metadata: { name: "pepr-mlscaler" }, webhooks: [] });
    await kube(["apply", "-f", "-"], manifest);
    expect((await install()).stderr).toContain("deployed in this cluster by `npx pepr deploy`");
    await kube(["delete", "validatingwebhookconfiguration", "pepr-mlscaler"]);
  });
});
