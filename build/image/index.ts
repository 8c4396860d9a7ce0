import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { program } from "commander";
import { nameOf } from "./name";

const root = resolve(__dirname, "../..");

program
  .name("npm run image --")
  .description("Builds a container image that runs the module in less than half the memory of Pepr's image.")
  .requiredOption("-t, --tag <image>", "name of the image, such as registry.example.com/team/mlscaler:0.1.0")
  .option("--node-image <image>", "base image with Node", "node:22-slim")
  .option("--builder <command>", "docker, or a compatible command (podman, nerdctl)", "docker")
  .option("--push", "also push the image")
  .action(({ tag, nodeImage, builder, push }: { tag: string; nodeImage: string; builder: string; push?: boolean }) => {
    const settings = ["--build-arg", `NODE_IMAGE=${nodeImage}`, "--tag", tag, "--file", "build/image/Dockerfile"];
    run(builder, "build", ...settings, "dist/image");
    if (push) run(builder, "push", tag);
    const name = nameOf(builder, tag);
    console.log("\nInstall it with Helm, or with Pepr:");
    console.log(`helm install mlscaler charts/mlscaler --set ${chartValuesOf(name)}`);
    console.log(`npx pepr deploy --image ${name}`);
  })
  .parse();

/** The values of the chart for an image, which has a tag or the builder's default, latest. */
function chartValuesOf(name: string): string {
  const [, repository = name, tag = "latest"] = /^(.*):([^/:]+)$/.exec(name) ?? [];
  return `image.repository=${repository},image.tag=${tag}`;
}

function run(command: string, ...args: string[]): void {
  try {
    execFileSync(command, args, { cwd: root, stdio: "inherit" });
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? `there is no ${command} on the PATH; install it, or name another with --builder`
        : `${command} ${args[0]} failed, see its output above (is its engine running?)`;
    console.error(reason);
    process.exit(1);
  }
}
