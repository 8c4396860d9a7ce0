import { afterAll, beforeAll, expect, it } from "vitest";
import * as cluster from "../cluster";

const { api, kube } = cluster;

const kind: cluster.Kind = { apiVersion: "pizzeria.example.com/v1", kind: "PizzaOrder" };

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("pizzaorder");
});

afterAll(() => cluster.leaveNamespace(namespace));

it("examples/samples/pizzaorder.yaml is taken: phase, message, Ready, event and columns", async () => {
  await kube(["apply", "-n", namespace, "-f", "examples/samples/pizzaorder.yaml"]);
  const message = "Preparing a large pizza with mushrooms, olives";
  await cluster.untilCondition(namespace, "dinner", "Ready", "True/Preparing", message, kind);
  const status = { phase: "Preparing", message, observedGeneration: 1 };
  expect(await api.get(cluster.pathOf(kind, namespace, "dinner"))).toMatchObject({ status });
  await cluster.untilEvent(namespace, "dinner", `Normal Preparing ${message}`);
  const [header = "", row = ""] = (await kube(["get", "pizza", "-n", namespace])).split("\n");
  expect(header.split(/\s{2,}/).map(column => column.trim())).toEqual(["NAME", "SIZE", "PHASE", "READY", "AGE"]);
  expect(row).toMatch(/^dinner\s+large\s+Preparing\s+True\s+\d+/);
  expect(await kube(["get", "pizza", "-n", namespace, "-o", "wide"])).toMatch(/TOPPINGS\s*\n.*mushrooms.*olives/);
});

it("has one event a generation: what changes no spec adds none, another size adds the second", async () => {
  await cluster.patch(namespace, kind, "dinner", { metadata: { labels: { table: "4" } } });
  await cluster.patch(namespace, kind, "dinner", { spec: { size: "small" } });
  await cluster.untilCondition(namespace, "dinner", "Ready", "True/Preparing", "a small pizza", kind);
  const told = ["a large pizza with mushrooms, olives", "a small pizza"];
  await cluster.untilEvent(namespace, "dinner", "a small pizza");
  expect((await cluster.events(namespace, "dinner")).sort()).toEqual(
    told.map(pizza => `Normal Preparing Preparing ${pizza}`),
  );
});
