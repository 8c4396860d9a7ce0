import { daily, daySeconds } from "../courses";
import { Fields } from "../objects";
import { World } from "../world";
import { cpu, prometheus } from "./long-form";
import { Script } from "../script";

const short = { target_deployment: "web", min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5 };

/** Starts the process that answers reviews, and creates a Deployment web. */
async function admission(world: World): Promise<void> {
  world.deploy("web", 2);
  world.load("web", 0.3);
  world.start("admission");
  await world.wait(15);
}

const long = (metrics: Fields[]): Fields => ({ target_deployment: "web", max_replicas: 10, metrics });

/** The responses of the webhook. */
export const runs: Record<string, Script> = {
  "admission: MLScalers, valid and not": async world => {
    await admission(world);
    await world.review("MLScaler", "web", short);
    await world.review("MLScaler", "bad", { ...short, min_replicas: 20, history_size: 1 });
    await world.review("MLScaler", "worse", { max_replicas: "x", metrics: [{ type: "Resource" }] });
    await world.review("MLScaler", "moved", { ...short, target_deployment: "other" }, short);
    await world.review("MLScaler", "same", { ...short, min_replicas: 20 }, { ...short, min_replicas: 20 });
    const schedules = [{ name: "s", cron: "0 25 * * *", duration_seconds: 60, min_replicas: 2 }];
    await world.review("MLScaler", "odd", { ...short, schedules });
  },
  "admission: MLScalers and their targets": async world => {
    await admission(world);
    await world.review("MLScaler", "gone", { ...short, target_deployment: "gone" });
    await world.review("MLScaler", "container", long([cpu(50)]));
    await world.review("MLScaler", "server", long([prometheus("load", "10")]));
    const { min_replicas, max_replicas, metric, history_size } = short;
    const rest = { min_replicas, max_replicas, metric, history_size };
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    const target_ref = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "hi" };
    await world.review("MLScaler", "ceiling", { ...rest, target_ref, max_replicas: 30 });
    await world.review("MLScaler", "kind", { ...rest, target_ref: { ...target_ref, kind: "Bye" } });
    await world.review("MLScaler", "horizon", { ...short, forecast: { horizon_seconds: 30 }, sync_period_seconds: 60 });
  },
  "admission: rivals": async world => {
    await admission(world);
    world.mlscaler("first");
    await world.wait(1);
    await world.review("MLScaler", "second", short);
    await world.review("MLScaler", "looks", { ...short, mode: "Observe" });
    world.remove("MLScaler", "first");
    await world.wait(1);
    await world.review("MLScaler", "second", short);
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    world.apply("HorizontalPodAutoscaler", "hpa", { spec: { scaleTargetRef, maxReplicas: 3 } });
    await world.wait(1);
    await world.review("MLScaler", "second", short);
    world.remove("HorizontalPodAutoscaler", "hpa");
    await world.wait(1);
    await world.review("MLScaler", "second", short);
  },
  "admission: the API server fails": async world => {
    await admission(world);
    const heal = world.fault({ path: /./, how: "hang" });
    await world.review("MLScaler", "web", short);
    heal();
    world.fault({ path: /\/scale$/, how: 500 });
    await world.review("MLScaler", "web", short);
    world.reachable(false);
    await world.review("MLScaler", "web", long([cpu(50)]));
  },
  "admission: what would have been": async world => {
    world.prometheus.sinceSeconds = -2 * daySeconds;
    world.query("load", daily(500, 350, 0.01));
    await admission(world);
    await world.review("MLScaler", "web", { ...long([prometheus("load", "40")]), max_replicas: 40 });
    const spec = { ...long([prometheus("load", "80")]), max_replicas: 40 };
    await world.review("MLScaler", "web", spec, { ...spec, max_replicas: 30 });
  },
  "admission: the other resources": async world => {
    await admission(world);
    await world.review("Hello", "hi", { replicas: 30 });
    await world.review("Hello", "hi", { replicas: 3 });
    await world.review("Echo", "cave", { replicas: 2, image: "a b" });
    await world.review("EasyService", "shop", { size: -1, image: " x", ports: [{ port: 0 }] });
    await world.review("EasyService", "shop", {
      image: "x",
      resources: { requests: { cpu: "2" }, limits: { cpu: "1" } },
    });
    await world.review("PizzaOrder", "p", { size: "large", toppings: ["ham", "ham"] });
    await world.review("PizzaOrder", "p", { size: "small" });
  },
};
