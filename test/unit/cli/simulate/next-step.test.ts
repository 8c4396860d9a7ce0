import { expect, it } from "vitest";
import { parse } from "yaml";
import { assistantFor, nextStepOf } from "../../../../cli/simulate/next-step";
import { scalerIn } from "../../../../cli/simulate/scenario";

const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: frontend}
  maxReplicas: 9
`;

it.each([
  ["web.csv.gz", "web"],
  ["Checkout API (1).csv", "checkout-api-1"],
  ["???.csv", "web"],
])("the next step for %s is an MLScaler that assists %s", (trace, name) => {
  expect(assistantFor(trace)).toEqual({
    apiVersion: "example.com/v1",
    kind: "MLScaler",
    metadata: { name },
    spec: { target_deployment: name, mode: "Assist" },
  });
});

it("the next step for an HPA assists it, in its namespace", () => {
  const { manifest } = scalerIn({ source: "hpa.yaml", text: hpa }, "Assist");
  const { yaml, command } = nextStepOf(manifest, "gains") ?? {};
  expect(parse(yaml ?? "")).toEqual({
    apiVersion: "example.com/v1",
    kind: "MLScaler",
    metadata: { name: "web", namespace: "shop" },
    spec: { target_deployment: "frontend", mode: "Assist" },
  });
  expect(command).toBe("kubectl apply -f mlscaler.yaml");
});

it("a load that does not gain for sure has no next step", () => {
  expect([nextStepOf({}, "no gain"), nextStepOf({}, "unsure")]).toEqual([undefined, undefined]);
});
