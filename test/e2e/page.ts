import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../sandbox/paths";
import { type Answer, run } from "../run";
import { kube } from "./cluster";

/** Runs commands of a page as a user who pastes them. */
export class Page {
  readonly #text: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "page-"));

  /** @param path of the page in the repository */
  constructor(path: string) {
    this.#text = readFileSync(join(projectRoot, path), "utf8");
  }

  /** Has the commands run in a namespace. */
  async open(namespace: string): Promise<void> {
    writeFileSync(join(this.#folder, "kubeconfig"), await kube(["config", "view", "--raw", "--flatten"]));
    await this.run(`kubectl config set-context --current --namespace=${namespace}`);
    // The folder in which npx finds the built CLI.
    mkdirSync(join(this.#folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(join(projectRoot, "dist/cli/mlscaler.js"), join(this.#folder, "node_modules/.bin/mlscaler"));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** Runs commands in a folder of their own, without colours. */
  run(commands: string): Promise<Answer> {
    const kubeconfig = join(this.#folder, "kubeconfig");
    // A CI may ask for colours.
    const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, KUBECONFIG: kubeconfig };
    return run("bash", ["-eo", "pipefail", "-c", commands], { cwd: this.#folder, env });
  }

  /**
   * Runs a code block below a heading and returns its output. Throws when the page has no such block, and when a
   * command of it fails.
   * @param index of the block below the heading
   * @param name of the object in place of `web`
   */
  async follow(heading: string, index = 0, name = "web"): Promise<string> {
    const section = this.#text.split(/^## /m).find(text => text.startsWith(heading)) ?? "";
    const block = [...section.matchAll(/```sh\n(.*?)```/gs)][index]?.[1];
    if (block === undefined) throw new Error(`the page has no block ${index} below "${heading}"`);
    const { code, stdout, stderr } = await this.run(block.replaceAll(/\bweb\b/g, name));
    if (code !== 0) throw new Error(`${heading} ${stderr}`);
    return stdout;
  }
}
