import { cpSync, createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGunzip, gzipSync } from "node:zlib";
import { parseDocument, stringify } from "yaml";
import { writeChart } from "../chart";
import { root } from "../step";
import { filesOf, tarOf } from "./archive";
import { helm } from "./helm";

/** The namespace of install.yaml. */
const namespace = "mlscaler-system";

/**
 * Writes the chart of `version` to `path`, as `helm package` does, but with the same bytes each time.
 * @param helmProgram path of helm
 * @param image name of the image, which the chart then has as its default
 * @param source address of the repository, for the chart's home and the links of its README; undefined leaves them
 * @throws when helm refuses the chart
 */
export async function writeChartPackage(
  path: string,
  helmProgram: string,
  version: string,
  image: string,
  source: string | undefined,
  time: Date,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "mlscaler-chart-"));
  try {
    const chart = join(folder, "mlscaler");
    cpSync(join(root, "charts/mlscaler"), chart, { recursive: true });
    await writeChart(join(chart, "generated"), version);
    const values = parseDocument(readFileSync(join(chart, "values.yaml"), "utf8"));
    const { registry, repository } = placeOf(image);
    values.setIn(["image", "registry"], registry);
    values.setIn(["image", "repository"], repository);
    writeFileSync(join(chart, "values.yaml"), values.toString({ lineWidth: 0 }));
    if (source !== undefined) nameSource(chart, source, version);
    await helm(helmProgram, "package", chart, "--version", version, "--app-version", version, "--destination", folder);
    // Helm gives each file the time of now.
    const files = await filesOf(createReadStream(join(folder, `mlscaler-${version}.tgz`)).pipe(createGunzip()));
    writeFileSync(path, gzipSync(await tarOf(files, time)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the address of the repository into the chart, and makes the links of its README absolute. */
function nameSource(chart: string, source: string, version: string): void {
  const about = parseDocument(readFileSync(join(chart, "Chart.yaml"), "utf8"));
  about.set("home", source);
  about.set("sources", [source]);
  writeFileSync(join(chart, "Chart.yaml"), about.toString({ lineWidth: 0 }));
  const readme = readFileSync(join(chart, "README.md"), "utf8");
  writeFileSync(join(chart, "README.md"), readme.replaceAll("](../../", `](${source}/blob/v${version}/`));
}

/** The parts of the name of an image, as the chart has them. The first is a registry if it has a dot or a port. */
function placeOf(image: string): { registry: string; repository: string } {
  const [first = "", ...rest] = image.split("/");
  const isRegistry = rest.length > 0 && /[.:]|^localhost$/.test(first);
  return isRegistry ? { registry: first, repository: rest.join("/") } : { registry: "", repository: image };
}

/**
 * What the chart installs by default as one manifest for kubectl, with its namespace.
 * @param chart path of the chart package
 * @param reference tag or digest of the image, as a value of the chart: "image.tag=1.2.0"
 * @throws when helm cannot render the chart
 */
export async function installManifest(chart: string, helmProgram: string, reference: string): Promise<string> {
  const values = ["--set", "crds.keep=false", "--set", reference];
  const rendered = await helm(helmProgram, "template", "mlscaler", chart, "--namespace", namespace, ...values);
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const space = stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });
  const byHelm = /^ +(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n|^# Source: .*\n/gm;
  const command = /"helm upgrade mlscaler CHART [^"]*"/g;
  return `---\n${space}${rendered.replace(byHelm, "").replace(command, '"kubectl apply -f install.yaml"')}`;
}
