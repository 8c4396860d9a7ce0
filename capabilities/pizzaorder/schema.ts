import * as z from "zod";
import { conditionsSchema } from "../kubernetes/conditions";
import { Resource } from "../definition/resource";
import { blanks, matching, Rule } from "../definition/rules";

const mostToppings = 10;
const visible = `[^${blanks}]`;

const specSchema = z.strictObject({
  size: z.enum(["small", "medium", "large"]).describe("How large the pizza is."),
  toppings: z
    .array(z.string().max(64))
    .max(100)
    .default([])
    .describe(`What is on it, each topping once, at most ${mostToppings}, for example [basil, olives].`),
});

export type Spec = z.output<typeof specSchema>;

const rules: Rule<Spec>[] = [
  {
    path: "toppings",
    cel: `size(self.toppings) <= ${mostToppings}`,
    check: ({ toppings }) => toppings.length <= mostToppings,
    message: `%s toppings are too many, use at most ${mostToppings}`,
    values: [{ cel: "size(self.toppings)", of: ({ toppings }) => toppings.length }],
  },
  {
    path: "toppings",
    cel: "self.toppings.all(topping, self.toppings.exists_one(other, other == topping))",
    check: ({ toppings }) => new Set(toppings).size === toppings.length,
    message: "%s appears more than once, name each topping once",
    values: [
      {
        cel: "self.toppings.filter(topping, !self.toppings.exists_one(other, other == topping))[0]",
        of: ({ toppings }) => toppings.find(topping => toppings.filter(other => other === topping).length > 1),
      },
    ],
  },
];

const toppingRules: Rule<string>[] = [
  matching("self", visible, '"%s" is not a topping, give it a name or leave it out'),
];

const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  phase: z.enum(["Preparing"]).optional().describe("How far the order is."),
  message: z.string().max(1024).optional().describe("The same for people."),
  conditions: conditionsSchema.optional().describe("Ready."),
});

export type Status = z.output<typeof statusSchema>;

export const pizzaorder: Resource<Spec, Status> = {
  group: "pizzeria.example.com",
  version: "v1",
  kind: "PizzaOrder",
  plural: "pizzaorders",
  shortNames: ["pizza"],
  description: "An order of one pizza.",
  spec: specSchema,
  status: statusSchema,
  rules,
  nested: [{ at: "toppings[]", rules: toppingRules }],
  printerColumns: [
    { name: "Size", type: "string", jsonPath: ".spec.size" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Toppings", type: "string", jsonPath: ".spec.toppings", priority: 1 },
  ],
};
