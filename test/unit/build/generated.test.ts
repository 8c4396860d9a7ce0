import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { parseQuantity } from "../../../capabilities/kubernetes/quantity";
import { limitsFrom } from "../../../capabilities/mlscaler/memory/quota";

const root = resolve(__dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The files of dist/install in the folders of this name. */
const installedFiles = (name: string): string[] =>
  ["mlscaler", "samples"].flatMap(part =>
    readdirSync(join(root, "dist/install", part, name)).map(file => `dist/install/${part}/${name}/${file}`),
  );

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}
type Place = "everywhere" | "watched" | "own";
type Rights = Record<Place, Rule[]> & { switched: Record<string, Rule[]> };
type Roles = Record<"watcher" | "admission", Rights>;

const resources = parse(read("charts/mlscaler/generated/resources.yaml")) as Record<string, Roles>;
const all = (role: keyof Roles, place: Place): Rule[] =>
  [...Object.values(resources), parse(read("charts/mlscaler/generated/module.yaml")) as Roles].flatMap(
    roles => roles[role][place],
  );

describe("what is generated and in the repository", () => {
  let fresh: string;

  beforeAll(() => {
    fresh = mkdtempSync(join(tmpdir(), "mlscaler-generated-"));
    const command = [join(root, "node_modules/tsx/dist/cli.mjs"), "build/generated.ts", fresh];
    // In a process of its own, because it collects the capabilities in another mode.
    execFileSync(process.execPath, command, { cwd: root, env: { ...process.env, LOG_LEVEL: "silent" } });
  });

  afterAll(() => rmSync(fresh, { recursive: true }));

  it.each(["dist/install", "dist/optional", "charts/mlscaler/generated"])(
    "%s is of these sources: npm run build, and commit",
    folder => {
      const files = (of: string): Record<string, string> =>
        Object.fromEntries(
          readdirSync(join(of, folder), { recursive: true, withFileTypes: true })
            .filter(entry => entry.isFile())
            .map(({ parentPath, name }) => join(parentPath, name))
            .map(path => [path.slice(of.length), readFileSync(path, "utf8")]),
        );
      expect(files(root)).toEqual(files(fresh));
    },
  );

  // Other pages of the folder are written by hand.
  const pages = "chart cli conditions metrics mlscaler status".split(" ");

  it.each(pages)("docs/reference/%s.md is of these sources: npm run build, and commit", name => {
    const page = `docs/reference/${name}.md`;
    expect(read(page)).toBe(readFileSync(join(fresh, page), "utf8"));
  });

  it("has a test for each generated page", () => {
    expect(readdirSync(join(fresh, "docs/reference"))).toHaveLength(pages.length);
  });
});

describe("the chart", () => {
  it("has the version of the module", () => {
    const { version } = JSON.parse(read("package.json")) as { version: string };
    expect(parse(read("charts/mlscaler/Chart.yaml"))).toMatchObject({ version, appVersion: version });
  });

  it("gives Pepr the variables of package.json", () => {
    const { pepr } = JSON.parse(read("package.json")) as { pepr: { env: Record<string, string> } };
    const template = read("charts/mlscaler/templates/_deployment.tpl");
    for (const [name, value] of Object.entries(pepr.env))
      expect(template).toMatch(new RegExp(`- name: ${name}\\n +value: "${value}"`));
  });

  it("describes each value, and has a default for each that it describes", () => {
    interface Schema {
      description?: string;
      properties?: Record<string, Schema>;
    }
    const undescribed: string[] = [];
    const compare = (path: string, schema: Schema, value: unknown): void => {
      if (!schema.description && path !== "") undescribed.push(path);
      if (!schema.properties) return;
      const names = Object.keys(schema.properties).filter(name => `${path}.${name}` !== ".enabled");
      expect(names.sort(), path).toEqual(Object.keys(value as object).sort());
      for (const name of names)
        compare(`${path}.${name}`, schema.properties[name] ?? {}, (value as Record<string, unknown>)[name]);
    };
    compare(
      "",
      JSON.parse(read("charts/mlscaler/values.schema.json")) as Schema,
      parse(read("charts/mlscaler/values.yaml")),
    );
    expect(undescribed).toEqual([]);
  });

  it("has the description of each value as its comment, so that helm show values explains them", () => {
    interface Schema {
      description?: string;
      properties?: Record<string, Schema>;
    }
    const schema = JSON.parse(read("charts/mlscaler/values.schema.json")) as Schema;
    const path: string[] = [];
    let comment: string[] = [];
    let count = 0;
    for (const line of read("charts/mlscaler/values.yaml").split("\n")) {
      const [, said] = /^ *# (.*)$/.exec(line) ?? [];
      if (said !== undefined) comment.push(said);
      const [, indent = "", name] = /^( *)([A-Za-z]+):/.exec(line) ?? [];
      if (name !== undefined) {
        path.splice(indent.length / 2, Infinity, name);
        const described = path.reduce<Schema | undefined>((of, field) => of?.properties?.[field], schema);
        if (described) expect(comment.join(" "), path.join(".")).toBe(described.description);
        count += described ? 1 : 0;
      }
      if (said === undefined) comment = [];
    }
    expect(count).toBeGreaterThan(60);
  });

  it("has a memory limit that holds as many forecasts as the module makes by default", () => {
    const { watcher } = parse(read("charts/mlscaler/values.yaml")) as {
      watcher: { resources: { limits: { memory: string } } };
    };
    // The formula of docs/explanation/sizing.md, for an MLScaler a load.
    const { all } = limitsFrom({});
    expect(parseQuantity(watcher.resources.limits.memory)).toBeGreaterThan(60e6 + all * (0.1e6 + 0.2e6));
  });

  it("lets the admission pods read, and nothing that the watcher may not", () => {
    const allows = (rules: Rule[], group: string, resource: string, verb: string): boolean =>
      rules.some(
        ({ apiGroups, resources: names, verbs }) =>
          apiGroups.includes(group) && names.includes(resource) && verbs.includes(verb),
      );
    for (const place of ["everywhere", "watched", "own"] as const) {
      const watcher = [...all("watcher", place), ...(place === "watched" ? all("watcher", "everywhere") : [])];
      for (const { apiGroups, resources: names, verbs } of all("admission", place)) {
        for (const verb of verbs) {
          expect(["get", "list", "watch"]).toContain(verb);
          for (const group of apiGroups)
            for (const name of names) expect([group, name, verb, allows(watcher, group, name, verb)]).toContain(true);
        }
      }
    }
  });

  it("lets the watcher read nodes, and write HPAs, ScaledObjects and CapacityBuffers, only with their switches", () => {
    const rules = ["autoscaling horizontalpodautoscalers", "keda.sh scaledobjects"].map(name => {
      const [group = "", resource = ""] = name.split(" ");
      return { apiGroups: [group], resources: [resource], verbs: ["get", "patch"] };
    });
    const switched = Object.values(resources).map(({ watcher, admission }) => [watcher.switched, admission.switched]);
    expect(switched.flat().filter(one => Object.keys(one).length > 0)).toEqual([
      {
        assist: { everywhere: [], watched: rules },
        // Nodes have no namespace.
        nodes: { everywhere: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list"] }], watched: [] },
        capacityBuffer: {
          everywhere: [],
          watched: [
            {
              ...{ apiGroups: ["autoscaling.x-k8s.io"], resources: ["capacitybuffers"] },
              verbs: ["get", "create", "patch", "delete"],
            },
            { apiGroups: [""], resources: ["podtemplates"], verbs: ["get", "create", "patch"] },
          ],
        },
      },
    ]);
    const others = (["everywhere", "watched", "own"] as const).flatMap(place => all("watcher", place));
    const written = others.filter(({ resources: names, verbs }) =>
      names.some(
        name =>
          /autoscalers|scaledobjects|capacitybuffers|podtemplates|^nodes$/.test(name) &&
          verbs.some(verb => !["list", "watch"].includes(verb)),
      ),
    );
    expect(written).toEqual([]);
  });

  it("gives the watcher no right in the whole cluster but to read its own kinds, and the webhook configuration", () => {
    const groups = parseAllDocuments(installedFiles("crds").map(read).join("---\n")).map(document =>
      String(document.getIn(["spec", "group"])),
    );
    const foreign = all("watcher", "everywhere").filter(
      ({ apiGroups, verbs }) =>
        !apiGroups.every(group => groups.includes(group)) ||
        !verbs.every(verb => ["get", "list", "watch"].includes(verb)),
    );
    expect(foreign.filter(({ apiGroups }) => !apiGroups.includes("admissionregistration.k8s.io"))).toEqual([]);
  });
});

describe("the Secrets of the module", () => {
  interface Manifest extends Partial<Record<string, unknown>> {
    kind: string;
    metadata: { name: string; namespace?: string };
    rules?: Rule[];
  }
  const installed = installedFiles("rbac").flatMap(file =>
    parseAllDocuments(read(file)).map(document => document.toJS() as Manifest),
  );

  it("are created with it, and never by it: who may create one gets the token of any ServiceAccount there", () => {
    const rules = [
      ...installed.flatMap(manifest => manifest.rules ?? []),
      ...(["everywhere", "watched", "own"] as const).flatMap(place => all("watcher", place)),
    ];
    const verbs = rules
      .filter(rule => rule.resources.some(name => name === "secrets" || name === "*"))
      .filter(rule => rule.apiGroups.includes(""))
      .flatMap(rule => rule.verbs);
    expect([...new Set(verbs)].sort()).toEqual(["get", "list", "update", "watch"]);
    expect(installed.filter(({ kind }) => kind === "Secret")).toEqual([
      // Without data: to apply it again keeps what the leader has written.
      {
        ...{ apiVersion: "v1", kind: "Secret" },
        metadata: { name: "mlscaler-webhook-certificate", namespace: "pepr-system" },
      },
    ]);
  });
});

describe("the CRDs", () => {
  interface Names {
    plural: string;
    singular: string;
    shortNames: string[];
    categories: string[];
  }
  const names = installedFiles("crds").map(file => (parse(read(file)) as { spec: { names: Names } }).spec.names);

  it("have no category with the name of a kind, which kubectl would no longer find by it", () => {
    const ofKinds = names.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]);
    const categories = new Set(names.flatMap(one => one.categories));
    expect([...categories]).toEqual(["all", "mlscaler-all"]);
    expect(ofKinds.filter(name => categories.has(name))).toEqual([]);
  });
});

describe("no secret", () => {
  it("is in what an admin applies, or in the chart", () => {
    const files = ["dist/install", "charts/mlscaler"].flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")),
    );
    for (const file of files) expect(file).not.toMatch(/PRIVATE KEY-----\n/);
  });
});
