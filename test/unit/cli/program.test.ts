import { describe, expect, it } from "vitest";
import { program } from "../../../cli/program";
import { version } from "../../../package.json";
import { call } from "./call";

describe("mlscaler", () => {
  it.each([
    ["an unknown command", ["simulat"], "unknown command 'simulat' (Did you mean simulate?)", "mlscaler"],
    ["an unknown option", ["--colour"], "unknown option '--colour'", "mlscaler"],
    [
      "an unknown option of a command",
      ["simulate", "--capcity", "5"],
      "unknown option '--capcity' (Did you mean --capacity?)",
      "mlscaler simulate",
    ],
    ["a missing argument", ["validate"], "name a file, or use -f FILE", "mlscaler validate"],
    [
      "nothing to convert",
      ["from-hpa"],
      "name a file or an HPA in the cluster, or use -f FILE, --all or -A",
      "mlscaler from-hpa",
    ],
    [
      "options that do not fit together",
      ["from-keda", "-A", "-n", "shop"],
      "-A reads all namespaces and -n one: leave one of them out",
      "mlscaler from-keda",
    ],
    [
      "a choice that is none",
      ["from-hpa", "-", "--mode", "On"],
      "option '--mode <mode>' argument 'On' is invalid. Allowed choices are Observe, Assist, Active.",
      "mlscaler from-hpa",
    ],
    [
      "a duration that is none",
      ["simulate", "-", "--step", "soon"],
      "option '--step <duration>' argument 'soon' is invalid. Use for example 30s, 3m or 1h.",
      "mlscaler simulate",
    ],
    [
      "too many arguments",
      ["simulate", "a.csv", "b.csv"],
      "too many arguments for 'simulate'. Expected 1 argument but got 2.",
      "mlscaler simulate",
    ],
  ])("ends with code 2, the error and where the help is on %s", async (_, args, error, names) => {
    expect(await call(args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: ${error}\nSee "${names} --help".\n`,
    });
  });

  it("prints its version", async () => {
    expect(await call(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each(program.commands)("ends the help of a command with examples that it accepts: $_name", async command => {
    const { code, stdout } = await call([command.name(), "--help"]);
    expect(code).toBe(0);
    const [, lines = ""] = stdout.split("\nExamples:\n");
    const calls = lines.trimEnd().split("\n");
    expect(calls.length).toBeGreaterThanOrEqual(2);
    expect(calls.length).toBeLessThanOrEqual(3);
    for (const call of calls) {
      const [, args = ""] = new RegExp(`\\bmlscaler ${command.name()} ([^|>]*)`).exec(call) ?? [];
      const { operands, unknown } = command.parseOptions(args.trim().split(" "));
      expect({ call, unknown }).toEqual({ call, unknown: [] });
      expect(operands.length).toBeGreaterThanOrEqual(
        Math.min(1, command.registeredArguments.filter(({ required }) => required).length),
      );
    }
  });
});
