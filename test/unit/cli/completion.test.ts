import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completionOf } from "../../../cli/completion";
import { program } from "../../../cli/program";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "completion-"));
  writeFileSync(join(folder, "completion.bash"), completionOf(program, "bash"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers after these words; the last one is not finished. */
function offered(...words: string[]): string[] {
  const script = [
    "source completion.bash",
    `COMP_WORDS=(mlscaler "$@") COMP_CWORD=${words.length}`,
    "_mlscaler",
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ].join("\n");
  const printed = execFileSync("bash", ["--norc", "-u", "-c", script, "bash", ...words], { cwd: folder });
  return String(printed).trim().split("\n").filter(Boolean);
}

const longOptions = (name: string): string[] =>
  program.commands
    .filter(command => command.name() === name)
    .flatMap(command => [...command.options.map(({ long }) => long ?? ""), "--help"])
    .sort();

describe("the completion for bash", () => {
  it("is registered for mlscaler, and offers files where nothing else matches", () => {
    const printed = execFileSync("bash", ["--norc", "-c", "source completion.bash; complete -p mlscaler"], {
      cwd: folder,
    });
    expect(String(printed).trim()).toBe("complete -o default -F _mlscaler mlscaler");
    expect(offered("simulate", "web")).toEqual([]);
    expect(offered("simulate", "")).toEqual([]);
    expect(offered("simulate", "--spec", "")).toEqual([]);
  });

  it("offers the commands", () => {
    expect(offered("")).toEqual(program.commands.map(command => command.name()));
    expect(offered("si")).toEqual(["simulate"]);
    expect(offered("--v")).toEqual(["--version"]);
  });

  it.each(program.commands.map(command => command.name()))("offers the options of %s, and no others", name => {
    expect(offered(name, "--").sort()).toEqual(longOptions(name));
    expect(offered(name, "file", "--").sort()).toEqual(longOptions(name));
  });

  it("offers the choices of an option and of an argument", () => {
    expect(offered("from-hpa", "hpa.yaml", "--mode", "")).toEqual(["Observe", "Assist", "Active"]);
    expect(offered("simulate", "--model", "holt")).toEqual(["holt", "holt_winters"]);
    expect(offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(offered("completion", "z")).toEqual(["zsh"]);
  });
});

describe("the completions for zsh and fish", () => {
  it.each(["zsh", "fish"] as const)("have all commands, options and choices: %s", shell => {
    const script = completionOf(program, shell);
    for (const command of program.commands) {
      expect(script).toContain(command.name());
      for (const { long = "", argChoices = [] } of command.options) {
        expect(script).toContain(shell === "fish" ? `-l ${long.slice(2)} ` : `${long}[`);
        expect(script).toContain(argChoices.join(" "));
      }
    }
  });
});
