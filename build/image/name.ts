import { execFileSync } from "node:child_process";
import { z } from "zod";

/** The name that the builder gave the image: podman puts localhost/ before a name without a registry. */
export function nameOf(builder: string, tag: string): string {
  const full = /:[^/]+$/.test(tag) ? tag : `${tag}:latest`;
  const args = ["image", "inspect", "--format", "{{json .RepoTags}}", tag];
  try {
    const output = execFileSync(builder, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const names = z.array(z.string()).parse(JSON.parse(output));
    // It may also take it for the end of a name that it has already.
    const known = [full, `localhost/${full}`].find(name => names.includes(name));
    return known ?? names.find(name => name.endsWith(`/${full}`)) ?? tag;
  } catch {
    // A builder may keep its images elsewhere. The name is then as it was given.
    return tag;
  }
}
