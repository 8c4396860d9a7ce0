import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { pizzaorder } from "../../capabilities/pizzaorder/schema";
import * as cluster from "./cluster";

const { api, kube, kubectl, until } = cluster;

const orderSchema = z.object({
  metadata: z.object({ generation: z.number() }),
  status: pizzaorder.status.default({}),
});

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("pizzaorder");
});

afterAll(async () => {
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

const order = async (): Promise<z.infer<typeof orderSchema>> =>
  orderSchema.parse(await api.get(`/apis/pizzeria.example.com/v1/namespaces/${namespace}/pizzaorders/dinner`));

/** Waits until the status belongs to the latest spec, and returns it. */
const observed = (): Promise<z.infer<typeof orderSchema>> =>
  until("the order is taken", async () => {
    const found = await order();
    return found.status.observedGeneration === found.metadata.generation && found;
  });

/** The Events of the order, each with its count. */
async function preparing(): Promise<string[]> {
  const list = await kube([
    ...["get", "events", "-n", namespace, "--field-selector", "involvedObject.name=dinner,reason=Preparing"],
    ...["-o", 'jsonpath={range .items[*]}{.type}{" "}{.count}{" "}{.message}{"\\n"}{end}'],
  ]);
  return list
    .split("\n")
    .filter(line => line !== "")
    .sort();
}

const large = "Preparing a large pizza with mushrooms, olives";

describe("examples/pizzaorder.yaml", () => {
  it("is taken: phase, message, Ready, and one event", async () => {
    await kube(["apply", "-n", namespace, "-f", "examples/pizzaorder.yaml"]);
    await kube(["wait", "--for=condition=Ready", "pizza/dinner", "-n", namespace, "--timeout=180s"]);
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
    await kube(["label", "pizza", "dinner", "-n", namespace, "table=4"]);
    await kube(["patch", "pizza", "dinner", "-n", namespace, "--type", "merge", "-p", '{"spec":{"size":"small"}}']);
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

  it("is explained", async () => {
    const text = await kube(["explain", "pizzaorder.spec.toppings"]);
    expect(text).toMatch(/FIELD: toppings/);
    expect(text.replace(/\s+/g, " ")).toContain(
      "What is on it, each topping once, at most 10, for example [basil, olives].",
    );
  });
});

describe("examples/pizzaorder-invalid.yaml", () => {
  const fault = "spec.toppings: Invalid value: mushrooms is there more than once, name each topping once";
  const apply = (): Promise<cluster.Answer> =>
    kubectl(["apply", "-n", namespace, "-f", "examples/pizzaorder-invalid.yaml"]);

  it("is refused, and leaves the order as it is", async () => {
    const { metadata } = await order();
    const { code, stderr } = await apply();
    expect(code).not.toBe(0);
    expect(stderr).toContain(fault);
    expect((await order()).metadata.generation).toBe(metadata.generation);
  });

  it("is refused with the same text as a new order, and with the webhook removed", async () => {
    await kube(["delete", "pizza", "dinner", "-n", namespace, "--timeout=180s"]);
    expect((await apply()).stderr).toContain(fault);
    await cluster.withoutWebhook(async () => {
      const { code, stderr } = await apply();
      expect(code).not.toBe(0);
      expect(stderr).toContain(fault);
    });
    expect((await kubectl(["get", "pizza", "dinner", "-n", namespace])).stderr).toContain("not found");
  });
});
