// The controller.js of our image. With the hash of a module as its argument it runs the module that `npx pepr deploy`
// has put into a Secret, as Pepr's controller does; without one, the module of the image. Pepr's controller starts the
// module as a child process and stays. This one runs it in its own process, so that the module receives SIGTERM and the
// launcher takes no memory.
import { KubeConfig } from "@kubernetes/client-node";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pepr from "pepr";
import * as promClient from "prom-client";
import { readModule, runModule } from "./module";

/** The packages that the module requires. The bundle contains them, because the image has no node_modules. */
const packages = { "@kubernetes/client-node": { KubeConfig }, pepr, "prom-client": promClient };

try {
  const [, , hash] = process.argv;
  if (hash === undefined) runModule(readFileSync(join(__dirname, "module.js"), "utf8"), "/app/module.js", packages);
  else runModule(readModule("/app/load", hash), `/app/module-${hash}.js`, packages);
} catch (error) {
  pepr.Log.error(error, "cannot start the module");
  process.exit(1);
}
