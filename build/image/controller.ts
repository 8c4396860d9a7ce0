// What our image starts where Pepr's starts its controller.js, and with the same argument: the hash of the module. Pepr's
// checks the hash, starts the module as a process of its own and stays; this one checks it and becomes the module, so that
// there is one process, which hears SIGTERM.
import { KubeConfig } from "@kubernetes/client-node";
import { K8s, kind } from "kubernetes-fluent-client";
import * as pepr from "pepr";
import { peprStoreCRD } from "pepr/dist/lib/assets/store";
import * as promClient from "prom-client";
import { readModule, runModule } from "./module";

/** What the module requires: all of it is in this one file, the image has no node_modules. */
const packages = { "@kubernetes/client-node": { KubeConfig }, pepr, "prom-client": promClient };

async function start(hash: string): Promise<void> {
  const code = readModule("/app/load", hash);
  await K8s(kind.CustomResourceDefinition).Apply(peprStoreCRD, { force: true });
  runModule(code, `/app/module-${hash}.js`, packages);
}

start(process.argv[2] ?? "").catch((error: unknown) => {
  pepr.Log.error(error, "the module cannot be started");
  process.exit(1);
});
