import { ramp, square } from "../courses";
import { Script } from "../script";

const scale = /deployments\/web\/scale/;

/** Faults between the module and the API server. */
export const runs: Record<string, Script> = {
  "conflict: one 409 on the scale": async world => {
    await world.shop(0.5);
    world.fault({ method: "PUT", path: scale, how: 409, times: 1 });
    world.mlscaler();
    await world.wait(120);
  },
  "conflict: a storm of 409 on the scale": async world => {
    await world.shop(0.5);
    const heal = world.fault({ method: "PUT", path: scale, how: 409 });
    world.mlscaler();
    await world.wait(150);
    heal();
    await world.wait(120);
  },
  "conflict: 409 as an MLScaler is deleted": async world => {
    await world.shop(0.6);
    world.mlscaler();
    await world.wait(120);
    world.fault({ method: "PUT", path: scale, how: 409, times: 3 });
    world.remove("MLScaler", "web");
    await world.wait(60);
  },
  "fault: 403 on the scale": async world => {
    await world.shop(0.5);
    const heal = world.fault({ method: "PUT", path: scale, how: 403 });
    world.mlscaler();
    await world.wait(150);
    heal();
    const other = world.fault({ method: "GET", path: scale, how: 403 });
    await world.wait(90);
    other();
    await world.wait(90);
  },
  "fault: 500 and 429 on the scale": async world => {
    await world.shop(square(0.5, 0.8, 120));
    world.mlscaler();
    for (const how of [500, 429, 503] as const) {
      const heal = world.fault({ path: scale, how, retryAfter: 1 });
      await world.wait(120);
      heal();
      await world.wait(30);
    }
  },
  "fault: a change begins the tries anew": async world => {
    await world.shop(0.5);
    world.mlscaler("web", { sync_period_seconds: 120, forecast: { model: "off" } });
    await world.wait(20);
    world.fault({ path: scale, how: 500 });
    world.mlscaler("web", { pause: "Up" });
    await world.wait(50);
    world.mlscaler("web", { pause: "Down" });
    await world.wait(60);
  },
  "fault: the answer to a write is lost": async world => {
    await world.shop(ramp(0.4, 0.2));
    world.fault({ method: "PUT", path: scale, how: "lose", times: 1 });
    world.fault({ method: "PATCH", path: /mlscalers/, how: "lose", times: 2 });
    world.fault({ method: "POST", path: /configmaps/, how: "lose", times: 1 });
    world.mlscaler();
    await world.wait(150);
  },
  "fault: connections break": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(60);
    world.fault({ path: /shop/, how: "reset", times: 5 });
    await world.wait(120);
  },
  "fault: no answer to anything for a while": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(60);
    const heal = world.fault({ path: /./, how: "hang" });
    await world.wait(70);
    heal();
    await world.wait(100);
  },
  "fault: the API server is gone for a moment": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(60);
    world.reachable(false);
    await world.wait(8);
    world.reachable(true);
    await world.wait(100);
  },
  "fault: the API server is gone for minutes": async world => {
    await world.shop(ramp(0.3, 0.05));
    world.mlscaler();
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    await world.wait(90);
    world.reachable(false);
    await world.wait(60);
    world.scale("web", 1);
    world.mlscaler("web", { replicas_per_unit: 12 });
    world.remove("Hello", "hi");
    await world.wait(180);
    world.reachable(true);
    await world.wait(180);
  },
  "fault: the API server is not there at the start": async world => {
    world.deploy("web", 2);
    world.load("web", 0.5);
    world.mlscaler();
    world.reachable(false);
    await world.begin();
    await world.wait(20);
    world.reachable(true);
    await world.wait(150);
  },
  "fault: all is answered with 500": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(60);
    const heal = world.fault({ path: /./, how: 500 });
    await world.wait(60);
    heal();
    await world.wait(150);
  },
  "fault: 403 on ConfigMaps": async world => {
    const heal = world.fault({ path: /configmaps/, how: 403 });
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(150);
    heal();
    await world.wait(120);
  },
  "fault: 500 on ConfigMaps, at reading and writing": async world => {
    await world.shop(0.5);
    const heal = world.fault({ path: /configmaps/, how: 500 });
    world.mlscaler();
    await world.wait(150);
    heal();
    const other = world.fault({ method: "PUT", path: /configmaps/, how: 500 });
    await world.wait(330);
    other();
    await world.wait(60);
  },
  "fault: 403 on pods": async world => {
    const heal = world.fault({ path: /\/pods/, how: 403 });
    await world.shop(0.5);
    world.mlscaler("web", { min_replicas: 3 });
    world.apply("Echo", "cave", { spec: { replicas: 2, image: "nginx:1" } });
    await world.wait(120);
    heal();
    await world.wait(120);
  },
  "fault: Events are refused": async world => {
    world.fault({ path: /events/, how: 403 });
    await world.shop(0.5);
    world.mlscaler();
    world.apply("PizzaOrder", "p", { spec: { size: "small" } });
    await world.wait(120);
  },
  "fault: statuses are refused": async world => {
    const heal = world.fault({ method: "PATCH", path: /status/, how: 503 });
    await world.shop(0.5);
    world.mlscaler();
    world.apply("PizzaOrder", "p", { spec: { size: "large", toppings: ["ham"] } });
    await world.wait(90);
    heal();
    await world.wait(90);
  },
  "fault: a metrics API that does not answer": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(60);
    const heal = world.fault({ path: /metrics\.k8s\.io/, how: "hang" });
    await world.wait(200);
    heal();
    await world.wait(100);
  },
  "watch: all break, again and again": async world => {
    await world.shop(0.5);
    world.mlscaler();
    world.apply("EasyService", "esvc", { spec: { image: "shop:1" } });
    for (const how of ["cut", "end", "expired", "expired"] as const) {
      await world.wait(60);
      world.server.watches.end(how);
      world.scale("web", 9);
    }
    await world.wait(120);
  },
  "watch: history that is no longer known": async world => {
    await world.shop(0.5);
    world.mlscaler();
    world.apply("Echo", "cave", { spec: { replicas: 2, image: "nginx:1" } });
    await world.wait(90);
    world.reachable(false);
    await world.wait(5);
    world.remove("Echo", "cave");
    world.scale("web", 1);
    world.store.oldest = world.store.version;
    world.reachable(true);
    await world.wait(120);
  },
  "watch: refused with 429, and with 403": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(60);
    const heal = world.fault({ path: /watch=/, how: 429, retryAfter: 2, times: 12 });
    world.server.watches.end("cut");
    await world.wait(90);
    heal();
    const other = world.fault({ path: /pods.*watch=/, how: 403 });
    world.server.watches.end("end", ["pods"]);
    await world.wait(90);
    other();
    await world.wait(60);
  },
  "CRD: missing, then installed, then removed": async world => {
    world.server.missing.add("mlscalers");
    world.server.missing.add("echoes");
    await world.shop(0.5);
    await world.wait(70);
    world.server.missing.delete("mlscalers");
    world.mlscaler();
    await world.wait(120);
    world.server.missing.delete("echoes");
    world.apply("Echo", "cave", { spec: { replicas: 1, image: "nginx:1" } });
    world.server.missing.add("helloes");
    await world.wait(120);
  },
};
