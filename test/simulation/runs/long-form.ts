import { Fields } from "../objects";
import { daily, drop, ramp, square } from "../courses";
import { Script } from "../script";

/** Metrics in the form of an HPA. */
export const cpu = (averageUtilization: number): Fields => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
export const perPod = (name: string, averageValue: string): Fields => ({
  type: "Pods",
  pods: { metric: { name }, target: { type: "AverageValue", averageValue } },
});
export const external = (name: string, averageValue: string): Fields => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue } },
});
export const prometheus = (query: string, averageValue: string): Fields => ({
  type: "Prometheus",
  prometheus: { query, target: { type: "AverageValue", averageValue } },
});
const ofIngress = (target: Fields): Fields => ({
  type: "Object",
  object: {
    describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" },
    metric: { name: "rate" },
    target,
  },
});

const off = { forecast: { model: "off" } };

/** Long form: the metrics of an HPA, several metrics, both sorts of targets, behavior. */
export const runs: Record<string, Script> = {
  "long form: Resource by utilization": async world => {
    await world.shop(square(0.6, 1.9, 240));
    world.longForm("web", [cpu(60)]);
    await world.wait(600);
  },
  "long form: cpu that drops, and the window that holds": async world => {
    await world.shop(drop(1.9, 0.6, 130));
    world.longForm("web", [cpu(60)], off);
    await world.wait(500);
  },
  "long form: Resource by average value": async world => {
    await world.shop(ramp(0.3, 0.1));
    const target = { type: "AverageValue", averageValue: "250m" };
    world.longForm("web", [{ type: "Resource", resource: { name: "cpu", target } }], off);
    await world.wait(600);
  },
  "long form: ContainerResource": async world => {
    await world.shop(ramp(0.3, 0.1));
    const target = { type: "Utilization", averageUtilization: 50 };
    world.longForm("web", [
      { type: "ContainerResource", containerResource: { name: "cpu", container: "main", target } },
    ]);
    await world.wait(400);
    world.longForm(
      "none",
      [{ type: "ContainerResource", containerResource: { name: "cpu", container: "no", target } }],
      {
        mode: "Observe",
      },
    );
    await world.wait(120);
  },
  "long form: Pods": async world => {
    await world.shop(0.3);
    world.load("web", square(40, 190, 240), "rps");
    world.longForm("web", [perPod("rps", "25")], { sync_period_seconds: 20 });
    await world.wait(900);
  },
  "long form: Object by value and by average value": async world => {
    await world.shop(0.3);
    world.metrics.values.set("ingresses.networking.k8s.io/main/rate", ramp(30, 20));
    world.longForm("web", [ofIngress({ type: "Value", value: "40" })]);
    await world.wait(300);
    world.longForm("web", [ofIngress({ type: "AverageValue", averageValue: "30" })]);
    await world.wait(300);
  },
  "long form: External by value and by average value": async world => {
    await world.shop(0.3);
    world.metrics.values.set("queue", square(10, 300, 200));
    const value = { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "50" } } };
    world.longForm("web", [value]);
    await world.wait(400);
    world.longForm("web", [external("queue", "40")]);
    await world.wait(400);
  },
  "long form: Prometheus without a past": async world => {
    await world.shop(0.3);
    world.prometheus.sinceSeconds = 0;
    world.query("sum(rate(requests[1m]))", ramp(50, 30));
    world.longForm("web", [prometheus("sum(rate(requests[1m]))", "100")]);
    await world.wait(600);
  },
  "long form: Prometheus that fails, and comes back": async world => {
    await world.shop(0.3);
    world.prometheus.sinceSeconds = -86_400;
    world.query("load", daily(400, 200));
    world.longForm("web", [prometheus("load", "100")]);
    await world.wait(180);
    world.prometheusReachable(false);
    await world.wait(180);
    world.prometheusReachable(true);
    await world.wait(60);
    const heal = world.fault({ path: /^\/api\/v1\/query\?/, how: "hang" });
    await world.wait(120);
    heal();
    await world.wait(120);
  },
  "long form: Prometheus whose past cannot be read at first": async world => {
    await world.shop(0.3);
    const heal = world.fault({ path: /query_range/, how: 500, times: 2 });
    world.prometheus.sinceSeconds = -3 * 86_400;
    world.query("load", daily(400, 200));
    world.longForm("web", [prometheus("load", "100")]);
    await world.wait(1300);
    heal();
  },
  "long form: a Prometheus server that nobody named, then named": async world => {
    await world.shop(0.3);
    world.longForm("web", [prometheus("load", "100")]);
    await world.wait(120);
    world.prometheus.sinceSeconds = 0;
    world.query("load", 350);
    await world.wait(180);
  },
  "long form: several metrics, the highest counts": async world => {
    await world.shop(square(0.4, 1.2, 200));
    world.load("web", square(90, 30, 300), "rps");
    world.metrics.values.set("queue", ramp(10, 5));
    world.longForm("web", [cpu(50), perPod("rps", "20"), external("queue", "15")]);
    await world.wait(600);
  },
  "long form: one of several metrics fails": async world => {
    await world.shop(square(1.2, 0.3, 300));
    world.metrics.values.set("queue", 100);
    world.longForm("web", [cpu(50), external("queue", "20")]);
    await world.wait(120);
    world.metrics.values.delete("queue");
    await world.wait(400);
    world.metrics.values.set("queue", 20);
    await world.wait(300);
  },
  "long form: tolerance": async world => {
    await world.shop(0.52);
    world.longForm("web", [cpu(50)], off);
    await world.wait(60);
    world.load("web", 0.56);
    await world.wait(60);
    world.load("web", 0.551);
    await world.wait(60);
    world.longForm("web", [cpu(50)], { behavior: { scaleUp: { tolerance: "20m" } } });
    world.load("web", 0.53);
    await world.wait(120);
    world.load("web", 0.44);
    await world.wait(500);
  },
  "long form: behavior with windows and policies": async world => {
    await world.shop(square(0.4, 3, 500));
    const policies = [
      { type: "Pods", value: 1, periodSeconds: 60 },
      { type: "Percent", value: 50, periodSeconds: 90 },
    ];
    const behavior = {
      scaleUp: { stabilizationWindowSeconds: 45, policies, selectPolicy: "Min" },
      scaleDown: { stabilizationWindowSeconds: 120, policies, selectPolicy: "Max" },
    };
    world.longForm("web", [cpu(50)], { ...off, behavior });
    await world.wait(1150);
  },
  "long form: behavior that lets nothing down": async world => {
    await world.shop(square(2, 0.4, 200));
    world.longForm("web", [cpu(50)], { ...off, behavior: { scaleDown: { selectPolicy: "Disabled" } } });
    await world.wait(450);
    world.longForm("web", [cpu(50)], {
      behavior: { scaleDown: { selectPolicy: "Max", stabilizationWindowSeconds: 0 } },
    });
    await world.wait(300);
  },
  "long form: without behavior growth is limited": async world => {
    await world.shop(0.4);
    world.longForm("web", [cpu(20)], { ...off, max_replicas: 60 });
    await world.wait(60);
    world.load("web", 6);
    await world.wait(300);
  },
  "long form: pods without requests": async world => {
    await world.shop(0.4);
    const template = { spec: { containers: [{ name: "main", image: "web:1" }] } };
    world.apply("Deployment", "web", { spec: { template } });
    await world.wait(60);
    world.longForm("web", [cpu(50)]);
    await world.wait(200);
  },
};
