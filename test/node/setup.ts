import type { TestProject } from "vitest/node";
import { consoleSteps } from "../../sandbox/console";
import { startNode } from "../../sandbox/node/node";
import { nodeName, nodePaths } from "../../sandbox/node/paths";
import { sweep } from "../../sandbox/processes";

/**
 * Brings up the real node, and ends its processes afterwards. All else ends with the namespaces of `npm run test:node`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await consoleSteps(startNode);
  project.provide("sandboxes", [nodeName]);
  return async () => void (await sweep(nodePaths().processes));
}
