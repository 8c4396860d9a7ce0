import { ramp, square } from "../courses";
import { Fields } from "../objects";
import { World } from "../world";
import { cpu } from "./long-form";
import { Script } from "../script";

const refer = (apiVersion: string, kind: string, name: string): Fields => ({
  target_deployment: null,
  target_ref: { apiVersion, kind, name },
});

/** An MLScaler on a target other than a Deployment. */
function scaler(world: World, name: string, reference: Fields, spec: Fields = {}): void {
  const { target_ref } = reference;
  world.apply("MLScaler", name, {
    spec: { target_ref, min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5, ...spec },
  });
}

const hpa = (name: string): Fields => ({
  spec: { minReplicas: 1, maxReplicas: 5, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name } },
});

/** Scale targets, and rival scalers. */
export const runs: Record<string, Script> = {
  "target: StatefulSet": async world => {
    await world.shop(0.3);
    world.deploy("db", 2, { kind: "StatefulSet" });
    world.load("db", ramp(0.2, 0.05));
    await world.wait(30);
    scaler(world, "db", refer("apps/v1", "StatefulSet", "db"));
    await world.wait(400);
  },
  "target: of a version that is gone": async world => {
    await world.shop(0.4);
    scaler(world, "web", refer("apps/v1beta1", "Deployment", "web"));
    await world.wait(120);
  },
  "target: Hello and its ceiling": async world => {
    await world.shop(0.3);
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    world.load("hi", square(0.3, 2.5, 120));
    await world.wait(60);
    scaler(world, "hi", refer("fraim.co.jp/v1", "Hello", "hi"), { max_replicas: 30 });
    await world.wait(400);
  },
  "target: EasyService, and the Deployment of one": async world => {
    await world.shop(0.3);
    world.apply("EasyService", "shop", { spec: { size: 2, image: "shop:1", ports: [{ port: 80 }] } });
    world.load("shop", square(0.2, 0.6, 120));
    await world.wait(60);
    scaler(world, "shop", refer("app.kubebuilder.io/v1", "EasyService", "shop"));
    world.mlscaler("wrong", { target_deployment: "shop" });
    await world.wait(300);
  },
  "target: Echo": async world => {
    await world.shop(0.3);
    world.apply("Echo", "cave", { spec: { replicas: 2, image: "nginx:1" } });
    world.load("cave", ramp(0.2, 0.1));
    await world.wait(60);
    scaler(world, "cave", refer("my-operator.dev/v1", "Echo", "cave"));
    await world.wait(300);
  },
  "target: a kind that the module may not read": async world => {
    await world.shop(0.3);
    const heal = world.fault({ path: /checkouts/, how: 403 });
    const labels = { app: "till" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "till:1" }] } };
    world.apply("Checkout", "till", { spec: { replicas: 1, selector: { matchLabels: labels }, template } });
    world.load("till", 0.4);
    scaler(world, "till", refer("shop.example.org/v1", "Checkout", "till"));
    await world.wait(200);
    heal();
    await world.wait(200);
  },
  "target: of no kind, without a scale, and missing, then there": async world => {
    await world.begin();
    scaler(world, "kind", refer("apps/v1", "Robot", "r"));
    scaler(world, "group", refer("robots.example.org/v1", "Robot", "r"));
    scaler(world, "order", refer("pizzeria.example.com/v1", "PizzaOrder", "p"));
    world.mlscaler("web");
    await world.wait(120);
    world.deploy("web", 2);
    world.load("web", 0.5);
    await world.wait(180);
    world.remove("Deployment", "web");
    await world.wait(120);
  },
  "target: scaled by hand": async world => {
    await world.shop(0.3);
    world.mlscaler();
    await world.wait(120);
    world.scale("web", 8);
    await world.wait(100);
    world.scale("web", 1);
    await world.wait(100);
  },
  "rollout: its start-up load is left out": async world => {
    await world.shop(0.42, 4);
    world.metrics.startUp.set("web", 0.9);
    world.workloads.startUp.set("web", 70);
    world.longForm("web", [cpu(50)]);
    await world.wait(120);
    world.rollOut("web", "web:2");
    await world.wait(600);
  },
  "rollout: its start-up load counts": async world => {
    await world.shop(0.42, 4);
    world.metrics.startUp.set("web", 0.9);
    world.workloads.startUp.set("web", 70);
    world.longForm("web", [cpu(50)], { rollout_freeze: false });
    await world.wait(120);
    world.rollOut("web", "web:2");
    await world.wait(600);
  },
  "rollout: short form": async world => {
    await world.shop(square(0.4, 0.7, 300), 4);
    world.metrics.startUp.set("web", 0.6);
    world.workloads.startUp.set("web", 45);
    world.mlscaler();
    world.mlscaler("look", { mode: "Observe", rollout_freeze: false });
    await world.wait(100);
    world.rollOut("web", "web:2");
    await world.wait(200);
    world.rollOut("web", "web:3");
    await world.wait(300);
  },
  "rivals: two MLScalers, the older goes": async world => {
    await world.shop(0.5);
    world.mlscaler("first");
    await world.wait(60);
    world.mlscaler("second", { replicas_per_unit: 4 });
    await world.wait(120);
    world.remove("MLScaler", "first");
    await world.wait(120);
  },
  "rivals: two MLScalers of one second, one begins to observe": async world => {
    await world.shop(0.5);
    world.mlscaler("one");
    world.mlscaler("two", { replicas_per_unit: 4 });
    await world.wait(120);
    world.mlscaler("one", { mode: "Observe" });
    world.mlscaler("two", { pause: "Down" });
    await world.wait(120);
    world.mlscaler("one", { mode: "Active" });
    await world.wait(90);
  },
  "rivals: an HPA comes, changes and goes": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(90);
    world.apply("HorizontalPodAutoscaler", "old", hpa("web"));
    await world.wait(90);
    world.apply("HorizontalPodAutoscaler", "old", hpa("other"));
    await world.wait(60);
    world.apply("HorizontalPodAutoscaler", "old", hpa("web"));
    await world.wait(60);
    world.remove("HorizontalPodAutoscaler", "old");
    await world.wait(90);
  },
  "rivals: HPAs cannot be listed": async world => {
    const heal = world.fault({ path: /horizontalpodautoscalers/, how: 503 });
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(90);
    heal();
    await world.wait(90);
    world.fault({ path: /horizontalpodautoscalers/, how: 403 });
    world.server.watches.end("end", ["horizontalpodautoscalers"]);
    await world.wait(60);
  },
  "rivals: selectors that overlap": async world => {
    await world.shop(0.5);
    const labels = { app: "web", tier: "front" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
    world.apply("Deployment", "front", {
      spec: { replicas: 1, selector: { matchLabels: { tier: "front" } }, template },
    });
    await world.wait(40);
    world.mlscaler();
    world.mlscaler("front", { target_deployment: "front" });
    await world.wait(150);
    world.remove("MLScaler", "web");
    await world.wait(120);
  },
};
