import { Readable } from "node:stream";
import { vi } from "vitest";
import { program } from "../../../cli/program";
import type { Answer } from "../../run";

/** Thrown where the process would end. */
class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** Runs the command line in this process, where there is no terminal. */
export async function call(args: string[], input = ""): Promise<Answer> {
  const printed = { stdout: "", stderr: "" };
  const into =
    (stream: keyof typeof printed, end = "") =>
    (text: unknown): boolean => {
      printed[stream] += `${String(text)}${end}`;
      return true;
    };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(into("stdout")),
    vi.spyOn(process.stderr, "write").mockImplementation(into("stderr")),
    vi.spyOn(console, "log").mockImplementation(into("stdout", "\n")),
    vi.spyOn(console, "error").mockImplementation(into("stderr", "\n")),
    vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([Buffer.from(input)]) as typeof process.stdin),
    vi.spyOn(process, "exit").mockImplementation(code => {
      throw new Exit(Number(code ?? 0));
    }),
  ];
  const { exitCode, argv } = process;
  process.argv = [...argv.slice(0, 2), ...args];
  process.exitCode = undefined;
  try {
    await program.parseAsync(args, { from: "user" });
    return { code: Number(process.exitCode ?? 0), ...printed };
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return { code: error.code, ...printed };
  } finally {
    Object.assign(process, { exitCode, argv });
    for (const spy of spies) spy.mockRestore();
  }
}
