import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nameOf } from "../../../build/image/name";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-builder-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const [short, full] = ["mlscaler:0.1.0", "registry.example.com/team/mlscaler:0.1.0"];

it.each([
  ["localhost/ before a name without a registry, as podman has it", short, [full, `localhost/${short}`]],
  ["the name that the builder has", full, [full]],
  ["the name as it was given where the builder does not say", short, undefined],
])("the image is deployed by %s", (_, tag, names) => {
  const builder = join(folder, "builder");
  const inspect = names === undefined ? "exit 1" : `echo '${JSON.stringify(names)}'`;
  writeFileSync(builder, `#!/bin/sh\ncase $1 in image) ${inspect};; esac\n`, { mode: 0o755 });
  expect(nameOf(builder, tag)).toBe(names?.at(-1) ?? tag);
});
