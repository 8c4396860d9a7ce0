import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { validated } from "../../../../cli/validate";
import { check, resources } from "../../../../cli/validate/check";
import { formats, Report } from "../../../../cli/validate/formats";
import { objectsIn } from "../../../../cli/validate/objects";
import type { Answer } from "../../../run";
import { call } from "../call";

const root = resolve(import.meta.dirname, "../../../..");

/** The faults in a text, a line each: "LINE:COLUMN FIELD: MESSAGE". */
const faultsIn = (manifests: string): string[] =>
  check(objectsIn("x.yaml", manifests).objects).checked.flatMap(({ faults }) =>
    faults.map(({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`),
  );

const scaler = `apiVersion: example.com/v1
kind: MLScaler
metadata:
  name: web
spec:
  target_deployment: web
  min_replicas: 1
  max_replicas: 10
  metric: cpu
  history_size: 5
`;
/** What is wrong with min_replicas 0. */
const needsMetric =
  "0 needs at least one metric that is known without pods: Object, External or Prometheus in spec.metrics, or an activation in spec.scale_to_zero; else use 1 or more";
const order = "apiVersion: pizzeria.example.com/v1\nkind: PizzaOrder\nmetadata: {name: mine}\n";
const service = "kind: Service\napiVersion: v1\nmetadata: {name: web}\n";
const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 3
`;

describe("the examples", () => {
  const files = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" });
  const manifests = files.filter(name => name.endsWith(".yaml") && !name.startsWith("helm/"));

  it.each(manifests)("%s has faults only in the folder of the invalid ones", async name => {
    const { checked, unreadable } = await validated([join(root, "examples", name)]);
    expect(unreadable).toEqual([]);
    expect(checked.some(({ faults }) => faults.length > 0)).toBe(name.startsWith("invalid/"));
  });

  it.each(["forecast", "hpa", "samples", "targets", "zero"])("%s can be applied as a folder", folder => {
    const objects = manifests
      .filter(name => name.startsWith(`${folder}/`))
      .flatMap(name => parseAllDocuments(readFileSync(join(root, "examples", name), "utf8")))
      .map(document => document.toJS() as { kind: string; metadata: { name: string } });
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("the docs", () => {
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map(page => join("docs", page));
  const manifests = ["README.md", ...pages.filter(page => page.endsWith(".md"))].flatMap(page =>
    [...readFileSync(join(root, page), "utf8").matchAll(/^```yaml\n(apiVersion: .*?)^```/gms)].map(
      ([, manifest = ""]) => [page, manifest] as const,
    ),
  );

  it.each(manifests)("%s shows what is valid", (_, manifest) => expect(faultsIn(manifest)).toEqual([]));

  it("show MLScalers", () => {
    expect(manifests.filter(([, manifest]) => manifest.includes("kind: MLScaler")).length).toBeGreaterThan(1);
  });
});

describe("a fault", () => {
  it("may be in a cron expression, which no rule of the CRD checks", () => {
    const schedules = "  schedules:\n    - {name: night, cron: 0 0 30 2 *, duration_seconds: 3600, min_replicas: 2}\n";
    expect(faultsIn(scaler + schedules)).toEqual([
      expect.stringMatching(/^12:\d+ spec\.schedules\[0\]\.cron: "0 0 30 2 \*" never comes, /),
    ]);
  });

  it("has the place of its field, and the words of admission", () => {
    expect(
      faultsIn(scaler.replace("min_replicas: 1", "min_replicas: 12").replace("history_size: 5", "history_size: 1")),
    ).toEqual([
      "7:3 spec.min_replicas: 12 is above spec.max_replicas 10, use at most that",
      "10:3 spec.history_size: 1 is out of range, use 2 to 20160 samples",
    ]);
  });

  it("of a missing field has the place of its parent", () => {
    expect(faultsIn(scaler.replace(/ {2}max_replicas.*\n/, ""))).toEqual([
      expect.stringMatching(/^5:1 spec\.max_replicas: is required/),
    ]);
    expect(faultsIn("apiVersion: example.com/v1\nkind: MLScaler\nmetadata: {name: web}\n")).toEqual([
      expect.stringMatching(/^1:1 spec\.target_deployment: name one target/),
      "1:1 spec.max_replicas: is required except with spec.mode Assist, use 1 or more",
      expect.stringMatching(/^1:1 spec\.metric: set exactly one/),
    ]);
  });

  it("deep in lists and maps has its own place too", () => {
    const manifest = `apiVersion: app.kubebuilder.io/v1
kind: EasyService
metadata: {name: web}
spec:
  image: nginx
  resources:
    limits:
      cpu: lots
  ports:
    - port: 80
      name: a
    - {name: b, port: 0}
`;
    expect(faultsIn(manifest)).toEqual([
      expect.stringMatching(/^8:7 spec\.resources\.limits\[cpu\]: lots is not/),
      "12:17 spec.ports[1].port: 0 is out of range, use 1 to 65535",
    ]);
  });

  it("is an unknown field, in the spec and around it", () => {
    expect(faultsIn(`${scaler}  histroy: 3\n`)).toEqual([
      "11:3 spec.histroy: there is no such field, correct its name or leave it out",
    ]);
    expect(faultsIn(`${scaler}sepc: {}\n`)).toEqual([expect.stringMatching(/^11:1 sepc: there is no such field/)]);
  });

  it("names the field that is meant by one in camelCase or misspelt", () => {
    const told = (from: string, to: string): string[] => faultsIn(scaler.replace(from, to));
    expect(told("target_deployment", "targetDeployment")).toEqual([
      "6:3 spec.targetDeployment: there is no such field, did you mean target_deployment?",
    ]);
    expect(told("max_replicas: 10", "max_replica: 10")).toEqual([
      "8:3 spec.max_replica: there is no such field, did you mean max_replicas?",
    ]);
    expect(told("  name: web", "  name: web\n  lables: {}")).toEqual([
      "5:3 metadata.lables: there is no such field, did you mean labels?",
    ]);
    const metric = "{type: Resource, resource: {name: cpu, target: {type: Utilization, average_utilization: 60}}}";
    expect(told("metric: cpu\n  history_size: 5", `metrics: [${metric}]`)).toEqual([
      expect.stringContaining("target.average_utilization: there is no such field, did you mean averageUtilization?"),
    ]);
  });

  it("of the rules and of times is told beside those of types and fields, as far as it is known", () => {
    const schedules = "  schedules:\n    - {name: night, cron: 0 0 30 2 *, duration_seconds: 3600, min_replicas: 2}\n";
    const fields = (manifest: string): string[] => faultsIn(manifest).map(fault => fault.replace(/: .*/, ""));
    expect(fields(`${scaler.replace("min_replicas: 1", "minReplicas: 12")}${schedules}  pause: true\n`)).toEqual([
      // It is above max_replicas.
      "5:1 spec.min_replicas",
      "7:3 spec.minReplicas",
      expect.stringMatching(/^12:\d+ spec\.schedules\[0\]\.cron$/),
      "13:3 spec.pause",
    ]);
    // A rule and the parser of times judge one fault.
    expect(fields(`${scaler}${schedules.replace("30 2 *", "30 2")}  pause: true\n`)).toEqual([
      expect.stringMatching(/^12:\d+ spec\.schedules\[0\]\.cron$/),
      "13:3 spec.pause",
    ]);
    // What the rules say of a field of another type is not known.
    expect(fields(scaler.replace("min_replicas: 1", "min_replicas: many").replace("size: 5", "size: 1"))).toEqual([
      "7:3 spec.min_replicas",
      "10:3 spec.history_size",
    ]);
  });

  it("is a duplicate field, of which a YAML parser takes the last", () => {
    expect(faultsIn(`${scaler}  min_replicas: 2\n`)).toEqual([
      "11:3 spec.min_replicas: appears more than once, leave one",
    ]);
    // Duplicate fields of other kinds are not checked.
    expect(faultsIn(`${service}kind: Service\n`)).toEqual([]);
  });

  it("is an apiVersion or a kind with a slip in it", () => {
    expect(faultsIn(scaler.replace("example.com/v1", "exmaple.com/v1"))).toEqual([
      '1:1 apiVersion: "exmaple.com/v1" has no MLScaler, use example.com/v1',
    ]);
    expect(faultsIn(scaler.replace("kind: MLScaler", "kind: MLscaler"))).toEqual([
      '2:1 kind: "MLscaler" is not known, use MLScaler',
    ]);
  });

  it("has no words of the parser, and is told once", () => {
    const odd = `apiVersion: [x]
kind: MLScaler
metadata: {name: 5, labels: {a: 5}, finalizers: x}
spec: {min_replicas: 1.5, metrics: {}, behavior: 5, mode: active, forecast: {seasonality: [Hourly]}}
`;
    expect(faultsIn(odd)).toEqual([
      "1:1 apiVersion: names no version of MLScaler, use example.com/v1",
      "3:12 metadata.name: 5 is not allowed, use a string",
      "3:30 metadata.labels.a: 5 is not allowed, use a string",
      '3:37 metadata.finalizers: "x" is not allowed, use a list',
      "4:8 spec.min_replicas: 1.5 is not allowed, use a whole number",
      "4:27 spec.metrics: {} is not allowed, use a list",
      "4:40 spec.behavior: 5 is not allowed, use an object",
      '4:53 spec.mode: "active" is not allowed, use "Active", "Assist" or "Observe"',
      '4:92 spec.forecast.seasonality[0]: "Hourly" is not allowed, use "Daily" or "Weekly"',
    ]);
    expect(faultsIn("kind: Hello\nmetadata: []\nspec: {replicas: 1}\n")).toEqual([
      "1:1 apiVersion: names no version of Hello, use fraim.co.jp/v1",
      "2:1 metadata: [] is not allowed, use an object",
    ]);
  });

  it("is an invalid or missing name; a generated one is valid", () => {
    expect(faultsIn(scaler.replace("name: web", "name: Web_1"))).toEqual([
      expect.stringMatching(/^4:3 metadata\.name: "Web_1" cannot be used, use at most 253/),
    ]);
    expect(faultsIn(scaler.replace("name: web", "namespace: shop"))).toEqual([
      "3:1 metadata.name: is required, name the object",
    ]);
    expect(faultsIn(scaler.replace("name: web", "generateName: web-"))).toEqual([]);
    const hello = "apiVersion: fraim.co.jp/v1\nkind: Hello\nspec: {replicas: 1}\n";
    expect(faultsIn(`${hello}metadata: {name: a.b}\n`)).toEqual([
      expect.stringMatching(/^4:12 metadata\.name: "a\.b" cannot be used/),
    ]);
    expect(faultsIn(`${hello}metadata: {generateName: a-}\n`)).toEqual([]);
  });

  it("is off without quotes, which kubectl takes for false, and no other slip of YAML 1.1 or 1.2", () => {
    const withModel = (model: string): string[] => faultsIn(`${scaler}  forecast: {model: ${model}}\n`);
    expect(withModel("off")).toEqual([expect.stringMatching(/^11:14 spec\.forecast\.model: false is not allowed/)]);
    expect(withModel('"off"')).toEqual([]);
    expect(faultsIn(scaler.replace("max_replicas: 10", "max_replicas: 1e1"))).toEqual([]);
    expect(faultsIn(`${order}spec: {size: small, toppings: [1:30, 2026-01-01]}\n`)).toEqual([]);
  });
});

describe("a text of many objects", () => {
  const broken = scaler.replace("min_replicas: 1", "min_replicas: 0");

  it("may be a list, in YAML and in JSON, lists in it included", () => {
    const item = (size: string): object => ({
      apiVersion: "pizzeria.example.com/v1",
      kind: "PizzaOrder",
      metadata: { name: size },
      spec: { size },
    });
    const list = { apiVersion: "v1", kind: "List", items: [item("small"), { kind: "List", items: [item("vast")] }] };
    const json = JSON.stringify(list, null, 2);
    const line = json.split("\n").findIndex(text => text.includes('"size": "vast"')) + 1;
    const [one, ...more] = faultsIn(json);
    expect(one).toMatch(new RegExp(`^${line}:\\d+ spec\\.size: "vast" is not allowed`));
    expect(more).toEqual([]);
  });

  it("may use anchors, aliases and merge keys; a fault in them has the place where it is written", () => {
    const manifest = `${order}spec: &wrong
  size: huge
---
${order.replace("mine", "other")}spec: {size: small}
`;
    expect(faultsIn(manifest)).toEqual([expect.stringMatching(/^5:3 spec\.size: "huge"/)]);
    const merged = `common: &common
  min_replicas: 0
  max_replicas: 3
apiVersion: v1
kind: List
items:
  - apiVersion: example.com/v1
    kind: MLScaler
    metadata: &about {name: web}
    spec:
      <<: *common
      target_deployment: web
      metric: cpu
      history_size: 5
  - apiVersion: fraim.co.jp/v1
    kind: Hello
    metadata: *about
    spec: {replicas: 0}
`;
    expect(faultsIn(merged)).toEqual([
      `2:3 spec.min_replicas: ${needsMetric}`,
      "18:12 spec.replicas: 0 is out of range, use 1 to 20",
    ]);
  });

  it("is read to its end, though one document is not YAML; that document has its place", () => {
    const { objects, unreadable } = objectsIn("x.yaml", `kind: [A\n---\n${broken}`);
    expect(unreadable).toMatchObject([
      { file: "x.yaml", line: 2, message: expect.stringContaining("is not YAML: ") as string },
    ]);
    expect(check(objects).checked).toMatchObject([{ faults: [{ field: "spec.min_replicas" }] }]);
    expect(objectsIn("x.yaml", "a: &a [x,x]\nb: &b [*a,*a]\nc: *none").unreadable).toHaveLength(1);
  });

  it("that is a template has one error for each document, and one hint", () => {
    const template = "{{ if .Values.on }}\nkind: [\n{{ end }}\n";
    const { unreadable } = objectsIn("x.yaml", `${template}---\n${template}---\na: {{ x }}: {{ y\n`);
    const [first, ...more] = unreadable.map(({ message }) => message);
    expect(first).toContain("helm template");
    expect(more.length).toBeGreaterThan(0);
    expect(more.filter(message => message.includes("helm template"))).toEqual([]);
  });

  it("names what is no object", () => {
    const { objects, unreadable } = objectsIn("x.yaml", `just text\n---\n- a\n---\n${scaler}`);
    expect(objects).toHaveLength(1);
    const message = 'is not an object, write fields such as "kind: MLScaler"';
    expect(unreadable).toEqual([1, 3].map(line => ({ file: "x.yaml", line, column: 1, message })));
  });

  it("never throws", () => {
    const piece = fc.constantFrom(
      ...["kind: MLScaler", "apiVersion: example.com/v1", "spec:", "metadata: [", "name", "  ", "- ", "\n"],
      ...["&a ", "<<: ", "---", "*a", "{", "[", "]", "}", ": ", '"', "'", "|", "#", "!!map"],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 30 }).map(parts => parts.join("")),
          fc.string(),
        ),
        given => {
          const { objects, unreadable } = objectsIn("x.yaml", given);
          const faults = check(objects).checked.flatMap(object => object.faults);
          for (const { line, column, message } of [...faults, ...unreadable]) {
            expect(line).toBeGreaterThan(0);
            expect(column).toBeGreaterThan(0);
            expect(message).not.toBe("");
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("objects that meet", () => {
  const second = scaler.replace("name: web", "name: second");

  it("are two Active MLScalers on one target, in one namespace", () => {
    expect(faultsIn(`${scaler}---\n${second}`)).toEqual([
      "17:3 spec.target_deployment: Deployment web is already scaled by MLScaler web; delete one of them, name another target, or set spec.mode to Observe",
    ]);
    const byReference = second.replace(
      "target_deployment: web",
      "target_ref: {apiVersion: apps/v1beta2, kind: Deployment, name: web}",
    );
    expect(faultsIn(`${scaler}---\n${byReference}`)).toEqual([
      expect.stringMatching(/^17:3 spec\.target_ref: Deployment web is already/),
    ]);
    for (const harmless of [
      `${second}  mode: Observe\n`,
      second.replace("name: second", "name: second\n  namespace: other"),
      second.replace("target_deployment: web", "target_deployment: api"),
      scaler,
    ])
      expect(faultsIn(`${scaler}---\n${harmless}`)).toEqual([]);
  });

  it("are a ScaledObject and an Active MLScaler on one target, but not the HPA that KEDA makes as well", () => {
    const keda =
      "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: w}\nspec: {scaleTargetRef: {name: web}}\n";
    expect(faultsIn(`${scaler}---\n${keda}`)).toEqual([
      "6:3 spec.target_deployment: Deployment web is already scaled by ScaledObject w; set spec.mode to Assist to keep that, delete it, or set spec.mode to Observe",
    ]);
    expect(faultsIn(`${scaler}  mode: Observe\n---\n${keda}`)).toEqual([]);
  });

  it("are an HPA and an Active MLScaler on one target, whichever comes first", () => {
    const fault =
      "spec.target_deployment: Deployment web is already scaled by HPA web; set spec.mode to Assist to keep that, delete it, or set spec.mode to Observe";
    expect(faultsIn(`${scaler}---\n${hpa}`)).toEqual([`6:3 ${fault}`]);
    expect(faultsIn(`${hpa}---\n${scaler}`)).toEqual([`13:3 ${fault}`]);
    expect(faultsIn(`${hpa}---\n${scaler}  mode: Observe\n`)).toEqual([]);
    expect(faultsIn(`${hpa.replace("{name: web}", "{name: web, namespace: other}")}---\n${scaler}`)).toEqual([]);
  });
});

describe("an MLScaler that assists", () => {
  const assisting = `apiVersion: example.com/v1
kind: MLScaler
metadata: {name: web}
spec: {target_deployment: web, mode: Assist}
`;
  const warningsIn = (manifests: string): string[] =>
    check(objectsIn("x.yaml", manifests).objects).checked.flatMap(({ warnings }) =>
      warnings.map(({ field, message }) => `${field}: ${message}`),
    );

  it("wants one HPA on its target, which may be elsewhere", () => {
    expect(faultsIn(`${assisting}---\n${hpa}---\n${hpa}`)).toEqual([]);
    expect(warningsIn(`${assisting}---\n${hpa}`)).toEqual([]);
    expect(faultsIn(assisting)).toEqual([]);
    expect(warningsIn(assisting)).toEqual([
      expect.stringMatching(/^spec\.target_deployment: in these files no HPA or ScaledObject scales Deployment web/),
    ]);
  });

  it("may not have two, nor another MLScaler on its target", () => {
    const two = `${hpa}---\n${hpa.replace("{name: web}", "{name: other}")}---\n`;
    expect(faultsIn(`${two}${assisting}`)).toEqual([
      "18:8 spec.target_deployment: Deployment web is scaled by HPA web and HPA other; delete all but one",
    ]);
    const other = assisting.replace("{name: web}", "{name: other}");
    expect(faultsIn(`${hpa}---\n${assisting}---\n${other}`)).toEqual([
      expect.stringContaining("Deployment web is already scaled by MLScaler web"),
    ]);
  });

  it("may be Active with take_over, beside its HPA or without", () => {
    const takes = `${scaler}  take_over: true\n`;
    expect(faultsIn(`${takes}---\n${hpa}`)).toEqual([]);
    expect(warningsIn(takes)).toEqual([]);
  });

  it("has its warning in each format, and exit code 0", async () => {
    const printed = async (format: string): Promise<string> => {
      const { code, stdout } = await call(["validate", "-", "-o", format], assisting);
      expect(code).toBe(0);
      return stdout;
    };
    expect(await printed("text")).toMatch(
      /^standard input:4:8: MLScaler web: warning: spec\.target_deployment: [^]*\n1 file, 1 MLScaler, 0 faults, 1 warning\n$/,
    );
    expect(await printed("json")).toContain('"level": "warning"');
    expect(await printed("sarif")).toContain('"level": "warning"');
    expect(await printed("github")).toMatch(/^::warning file=standard input,line=4/);
    expect(await printed("junit")).not.toContain("<failure");
  });
});

describe("mlscaler validate", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "validate-"));
    mkdirSync(join(folder, "deep", "node_modules"), { recursive: true });
    writeFileSync(join(folder, "deep", "web.yml"), scaler.replace("min_replicas: 1", "min_replicas: 0"));
    writeFileSync(join(folder, "deep", "node_modules", "not.yaml"), "[");
    writeFileSync(join(folder, "list.json"), JSON.stringify({ kind: "List", items: [{ kind: "Service" }] }));
    writeFileSync(join(folder, "README.md"), "[");
    mkdirSync(join(folder, "empty"));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const validate = (args: string[], input = ""): Promise<Answer> => call(["validate", ...args], input);

  it("reads files and folders, prints each fault in a line without colours, and exits with code 1", async () => {
    const file = join(folder, "deep", "web.yml");
    expect(await validate([folder, "examples/mlscaler.yaml"])).toEqual({
      code: 1,
      stdout: `${file}:7:3: MLScaler web: spec.min_replicas: ${needsMetric}\n3 files, 2 MLScaler, 1 of other kinds passed over, 1 fault\n`,
      stderr: "",
    });
  });

  it("reads standard input, prints only faults with --quiet, and exits with code 0 without any", async () => {
    expect(await validate(["-", "--quiet"], scaler)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await validate(["-f", "-"], `${order}spec: {size: small}\n---\n${scaler}`)).toMatchObject({
      stdout: "1 file, 1 PizzaOrder, 1 MLScaler, 0 faults\n",
    });
    expect(await validate([])).toMatchObject({ code: 2, stderr: expect.stringContaining("use -f FILE") as string });
    expect(await validate(["-"], scaler)).toMatchObject({ stdout: "1 file, 1 MLScaler, 0 faults\n" });
  });

  it("prints JSON, exits with code 2 when a document is not YAML, and still checks the others", async () => {
    const { code, stdout } = await validate(["-", join(folder, "deep"), "--json"], "kind: [\n");
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: "standard input", line: 2, column: 1, kind: null, name: null, field: null },
      {
        file: join(folder, "deep", "web.yml"),
        line: 7,
        column: 3,
        kind: "MLScaler",
        name: "web",
        field: "spec.min_replicas",
        message: needsMetric,
      },
    ]);
  });

  it.each([
    ["is empty", ""],
    ["holds comments only", "# nothing\n---\n"],
    ["has no kind", "replicas: 3\n"],
  ])("refuses input that %s", async (_, input) => {
    const file = join(folder, "input.yaml");
    writeFileSync(file, input);
    await expect(validated([file])).rejects.toThrow(`${file}: there is no object in it; name a manifest`);
    rmSync(file);
  });

  it("names a missing file, and a folder without manifests", async () => {
    await expect(validated(["missing.yaml"])).rejects.toThrow("missing.yaml: cannot be read: ENOENT");
    const empty = join(folder, "empty");
    await expect(validated([empty])).rejects.toThrow(
      `${empty}: there is no *.yaml, *.yml or *.json in it; name a file`,
    );
  });
});

describe("a format", () => {
  const invalid = scaler.replace("min_replicas: 1", "min_replicas: 0");

  const reportOn = (file: string, manifests: string): Report => {
    const { objects, unreadable } = objectsIn(file, manifests);
    return { checked: check(objects).checked, unreadable, summary: "" };
  };

  it("is JUnit's XML, with a test case for each object", () => {
    const xml = formats.junit(reportOn("web.yaml", `${invalid}---\n${order}spec: {size: small}\n---\nkind: [\n`));
    expect(xml).toContain('<testsuites tests="3" failures="1" errors="1"');
    expect(xml).toContain('<testcase classname="web.yaml" name="PizzaOrder mine" file="web.yaml"/>');
    expect(xml).toContain(`<failure message="spec.min_replicas: ${needsMetric}">`);
    expect(xml).toContain("web.yaml:7:3: spec.min_replicas");
    expect(xml).toMatch(/<error message="is not YAML: /);
  });

  it.each([
    ["charts/my web.yaml", "charts/my%20web.yaml"],
    [join(root, "web.yaml"), pathToFileURL(join(root, "web.yaml")).href],
  ])("is SARIF, for code scanning: %s", (file, uri) => {
    const region = { startLine: 7, startColumn: 3 };
    const text = `MLScaler web: spec.min_replicas: ${needsMetric}`;
    expect(JSON.parse(formats.sarif(reportOn(file, invalid)))).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "mlscaler validate", rules: [{ id: "admission" }, { id: "yaml" }] } },
          results: [
            {
              ...{ ruleId: "admission", level: "error", message: { text } },
              locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
            },
          ],
        },
      ],
    });
  });

  it("is that of workflow commands of GitHub, escaped", () => {
    const text = formats.github(
      reportOn("a,b.yaml", scaler.replace("target_deployment: web", 'target_deployment: "%"')),
    );
    expect(text).toMatch(
      /^::error file=a%2Cb\.yaml,line=6,col=3,title=MLScaler web::spec\.target_deployment: "%25" is /,
    );
    expect(text.trimEnd()).not.toContain("\n");
  });

  it("is text, without colours where there is no terminal", () => {
    expect(formats.text(reportOn("a.yaml", "kind: [\n"))).toMatch(/^a\.yaml:2:1: is not YAML: .*\n$/);
  });
});

it("checks every kind that the module holds", () => {
  const folders = readdirSync(join(root, "capabilities"));
  const held = folders.filter(name => existsSync(join(root, "capabilities", name, "schema.ts")));
  expect(resources.map(({ kind }) => kind.toLowerCase()).sort()).toEqual(held.sort());
});
