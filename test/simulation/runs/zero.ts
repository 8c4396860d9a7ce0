import { square } from "../courses";
import { Fields } from "../objects";
import { Script } from "../script";
import { World } from "../world";
import { cpu, external } from "./long-form";

const query = "sum(rate(orders[1m]))";
const idle = { min_replicas: 0, forecast: { model: "off" }, sync_period_seconds: 15 };
/** Goes to 0 a minute after the last load. */
const activated = (activation: Fields[], more: Fields = {}): Fields => ({
  ...idle,
  scale_to_zero: { cooldown_seconds: 60, activation, ...more },
});
const queue: Fields = { type: "External", external: { metric: { name: "queue" }, threshold: "2" } };
const orders: Fields = { type: "Prometheus", prometheus: { query } };

/** A shop with a queue and orders, two minutes with load and five without, in turn. */
async function shop(world: World, replicas = 2): Promise<void> {
  await world.shop(0.5, replicas);
  const load = (high: number) => (seconds: number) => (seconds % 420 < 120 ? high : 0);
  world.metrics.values.set("queue", load(60));
  world.query(query, load(40));
}

/** Targets that go to 0 and back. */
export const runs: Record<string, Script> = {
  "zero: by HPA's rule, without scale_to_zero": async world => {
    await shop(world);
    world.longForm("web", [external("queue", "20")], {
      ...idle,
      behavior: { scaleDown: { stabilizationWindowSeconds: 30 } },
    });
    await world.wait(900);
  },
  "zero: after the cool-down, and back by an activation": async world => {
    await shop(world);
    world.longForm("web", [cpu(50)], activated([queue]));
    await world.wait(1200);
  },
  "zero: several activations and replicas that wake": async world => {
    await shop(world);
    world.longForm("web", [cpu(50)], activated([queue, orders], { replicas: 3 }));
    await world.wait(500);
    world.prometheus.queries.set(query, square(0, 50, 200));
    await world.wait(700);
  },
  "zero: an activation that fails never sends to 0": async world => {
    await shop(world);
    world.longForm("web", [cpu(50)], activated([queue]));
    await world.wait(60);
    const heal = world.fault({ path: /external\.metrics/, how: 500 });
    await world.wait(500);
    heal();
    await world.wait(500);
  },
  "zero: activations fail at 0, and the floor wakes": async world => {
    await shop(world, 0);
    world.metrics.values.set("queue", 0);
    const floor = { behavior: "Floor", failure_threshold: 2, replicas: 3 };
    world.longForm("web", [external("queue", "20")], { ...activated([]), on_metric_failure: floor });
    await world.wait(200);
    world.fault({ path: /external\.metrics/, how: 503 });
    await world.wait(300);
  },
  "zero: paused in each direction": async world => {
    await shop(world);
    world.longForm("web", [cpu(50)], { ...activated([queue]), pause: "Down" });
    await world.wait(420);
    for (const pause of ["None", "Up", "All"]) {
      world.longForm("web", [cpu(50)], { ...activated([queue]), pause });
      await world.wait(420);
    }
  },
  "zero: a schedule wakes": async world => {
    await shop(world, 0);
    world.metrics.values.set("queue", 0);
    const schedules = [{ name: "rush", cron: "5 8 * * *", duration_seconds: 300, min_replicas: 4 }];
    world.longForm("web", [cpu(50)], { ...activated([queue]), schedules });
    await world.wait(1200);
  },
  "zero: scaled by hand to 0 and from 0": async world => {
    await shop(world);
    world.metrics.values.set("queue", 0);
    world.longForm("web", [cpu(50)], activated([queue]));
    world.scale("web", 0);
    await world.wait(200);
    world.scale("web", 4);
    await world.wait(300);
  },
  "zero: taken over at 0, and deleted at 0": async world => {
    await shop(world);
    world.metrics.values.set("queue", 0);
    world.longForm("web", [cpu(50)], activated([queue]));
    await world.wait(200);
    world.start("b");
    await world.wait(20);
    world.program().kill();
    await world.wait(200);
    world.remove("MLScaler", "web");
    await world.wait(60);
  },
};
