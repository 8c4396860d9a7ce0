import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of what benchmarks build or install, in that of the sandbox's programs. */
export const cacheFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "mlscaler", "bench");
