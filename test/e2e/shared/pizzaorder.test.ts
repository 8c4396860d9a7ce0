import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { pizzaorder } from "../../../capabilities/pizzaorder/schema";
import * as cluster from "../cluster";

const { api, kube, until } = cluster;

const kind: cluster.Kind = { apiVersion: "pizzeria.example.com/v1", kind: "PizzaOrder" };

const orderSchema = z.object({
  metadata: z.object({ generation: z.number() }),
  status: pizzaorder.status.default({}),
});

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("pizzaorder");
});

afterAll(() => cluster.leaveNamespace(namespace));

const order = async (): Promise<z.infer<typeof orderSchema>> =>
  orderSchema.parse(await api.get(cluster.pathOf(kind, namespace, "dinner")));

/** Waits until the status belongs to the latest spec, and returns it. */
const observed = (): Promise<z.infer<typeof orderSchema>> =>
  until("the order is taken", async () => {
    const found = await order();
    return found.status.observedGeneration === found.metadata.generation && found;
  });

const eventsSchema = z.object({
  items: z.array(z.object({ type: z.string(), count: z.number(), message: z.string() })),
});

/** The Events of the order, each with its count. */
async function preparing(): Promise<string[]> {
  const query = { fieldSelector: "involvedObject.name=dinner,reason=Preparing" };
  const { items } = eventsSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/events`, { query }));
  return items.map(({ type, count, message }) => `${type} ${count} ${message}`).sort();
}

const large = "Preparing a large pizza with mushrooms, olives";

describe("examples/samples/pizzaorder.yaml", () => {
  it("is taken: phase, message, Ready, and one event", async () => {
    await kube(["apply", "-n", namespace, "-f", "examples/samples/pizzaorder.yaml"]);
    const { status } = await observed();
    expect(status).toMatchObject({
      phase: "Preparing",
      message: large,
      conditions: [{ type: "Ready", status: "True", reason: "Preparing", message: large }],
    });
    expect(await preparing()).toEqual([`Normal 1 ${large}`]);
  });

  it("is one event a generation: what changes no spec adds none, another size adds the second", async () => {
    const { metadata } = await order();
    await cluster.patch(namespace, kind, "dinner", { metadata: { labels: { table: "4" } } });
    await cluster.patch(namespace, kind, "dinner", { spec: { size: "small" } });
    await until("it is about the small one", async () => {
      const { status } = await order();
      return status.observedGeneration === metadata.generation + 1 && status.message === "Preparing a small pizza";
    });
    expect(await preparing()).toEqual([`Normal 1 ${large}`, "Normal 1 Preparing a small pizza"]);
  });

  it("has columns", async () => {
    await observed();
    const [header = "", row = ""] = (await kube(["get", "pizza", "-n", namespace])).split("\n");
    expect(header.split(/\s{2,}/).map(column => column.trim())).toEqual(["NAME", "SIZE", "PHASE", "READY", "AGE"]);
    expect(row).toMatch(/^dinner\s+small\s+Preparing\s+True\s+\d+/);
    expect(await kube(["get", "pizza", "-n", namespace, "-o", "wide"])).toMatch(/TOPPINGS\s*\n.*mushrooms.*olives/);
  });
});
