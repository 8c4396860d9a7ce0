import { expect, it } from "vitest";
import { StoreController } from "../../../build/image/store";

it("the store of the image is ready without a cluster, but not before its caller has gone on", async () => {
  const order: string[] = [];
  new StoreController([], "pepr-mlscaler-store", () => order.push("ready"));
  order.push("middleware");
  await Promise.resolve();
  expect(order).toEqual(["middleware", "ready"]);
});
