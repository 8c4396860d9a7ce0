import { describe, expect, it } from "vitest";
import { deploymentOf, deploymentSelector } from "../../../capabilities/hello/manifest";

const owner = { apiVersion: "fraim.co.jp/v1", kind: "Hello", namespace: "shop", name: "hi", uid: "uid-hi" };

describe("the Deployment of a Hello", () => {
  it("has only the fields that the Hello owns", () => {
    expect(deploymentOf(owner, { replicas: 3 })).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        namespace: "shop",
        name: "hi",
        labels: { "app.kubernetes.io/name": "hi", "operator.fraim.co.jp/managed-by": "example-operator" },
        ownerReferences: [
          {
            apiVersion: "fraim.co.jp/v1",
            kind: "Hello",
            name: "hi",
            uid: "uid-hi",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        replicas: 3,
        selector: { matchLabels: { "app.kubernetes.io/name": "hi" } },
        template: {
          metadata: {
            labels: { "app.kubernetes.io/name": "hi", "operator.fraim.co.jp/managed-by": "example-operator" },
          },
          spec: {
            containers: [{ name: "hi", image: "nginxdemos/hello:0.3-plain-text", ports: [{ containerPort: 80 }] }],
          },
        },
      },
    });
  });

  it("is found by its label", () => {
    expect(deploymentSelector).toBe("operator.fraim.co.jp/managed-by=example-operator");
  });
});
