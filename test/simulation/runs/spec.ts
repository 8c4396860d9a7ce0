import { Script } from "../script";

/** Specs that got past admission, and statuses that were written by hand. */
export const runs: Record<string, Script> = {
  "spec: invalid, then valid": async world => {
    await world.shop(0.5);
    world.mlscaler("web", { min_replicas: 12 });
    world.apply("MLScaler", "odd", { spec: { target_deployment: "odd", max_replicas: "many" } });
    world.apply("Hello", "odd", { spec: { replicas: 0 } });
    world.apply("EasyService", "Odd", { spec: { size: -1, image: " " } });
    world.apply("PizzaOrder", "odd", { spec: { size: "huge" } });
    world.apply("Echo", "odd", { spec: { replicas: 2, image: "no image" } });
    await world.wait(400);
    world.mlscaler("web", { min_replicas: 2 });
    await world.wait(120);
    world.mlscaler("web", { history_size: 1 });
    await world.wait(60);
    world.remove("MLScaler", "web");
    await world.wait(30);
  },
  "spec: a status that was written by hand": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(90);
    for (const status of [{ conditions: "none" }, { predicted_replicas: 99, conditions: [] }]) {
      world.store.update(world.kind("MLScaler"), "shop", "web", { manager: "kubectl", part: "status" }, draft => {
        draft.status = status;
      });
      await world.wait(60);
    }
  },
  "spec: many objects at once": async world => {
    await world.begin();
    for (let index = 0; index < 12; index++) {
      const name = `app-${index}`;
      world.deploy(name, 1 + (index % 3));
      world.load(name, 0.1 + index / 20);
      world.mlscaler(name, { target_deployment: name });
      world.apply("PizzaOrder", name, { spec: { size: "small" } });
    }
    await world.wait(90);
  },
};
