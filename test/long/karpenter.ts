import { findKarpenter } from "../../sandbox/build";
import { messageOf } from "../../sandbox/wait";

/** Karpenter; undefined where it cannot be built, which is printed. */
export const karpenter = await findKarpenter(console.log).catch((error: unknown) => {
  console.log(`skipped: Karpenter cannot be built: ${messageOf(error)}`);
  return undefined;
});
