// The controller.js of our image. Its argument is the hash of the module, as in Pepr's image. Pepr's controller checks
// the hash, starts the module as a child process and stays. This one checks the hash and runs the module in its own
// process, so that the module receives SIGTERM and the launcher takes no memory.
import { KubeConfig } from "@kubernetes/client-node";
import { K8s, kind } from "kubernetes-fluent-client";
import * as pepr from "pepr";
import { peprStoreCRD } from "pepr/dist/lib/assets/store";
import * as promClient from "prom-client";
import { readModule, runModule } from "./module";

/** The packages that the module requires. The bundle contains them, because the image has no node_modules. */
const packages = { "@kubernetes/client-node": { KubeConfig }, pepr, "prom-client": promClient };

async function start(hash: string): Promise<void> {
  const code = readModule("/app/load", hash);
  await K8s(kind.CustomResourceDefinition).Apply(peprStoreCRD, { force: true });
  runModule(code, `/app/module-${hash}.js`, packages);
}

start(process.argv[2] ?? "").catch((error: unknown) => {
  pepr.Log.error(error, "cannot start the module");
  process.exit(1);
});
