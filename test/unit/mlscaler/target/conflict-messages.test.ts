import { describe, expect, it } from "vitest";
import { scaledByHpa } from "../../../../capabilities/mlscaler/target/conflict-messages";

describe("scaledByHpa", () => {
  it("names the target, the HPA, and the remedy", () => {
    expect(scaledByHpa({ apiVersion: "apps/v1", kind: "Deployment", name: "web" }, "HPA web")).toBe(
      "Deployment web is already scaled by HPA web; delete that, or set spec.mode to Observe",
    );
  });
});
