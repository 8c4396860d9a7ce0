import { daily, drop, ramp, square } from "../courses";
import { Script } from "../script";

const gibibyte = 2 ** 30;

/** Short form: one metric, the line through its last samples, and missing samples. */
export const runs: Record<string, Script> = {
  "short form: cpu that grows": async world => {
    await world.shop(ramp(0.1, 0.05));
    world.mlscaler();
    await world.wait(600);
  },
  "short form: cpu that jumps up and down": async world => {
    await world.shop(square(0.2, 0.7, 240));
    world.mlscaler("web", { sync_period_seconds: 15 });
    await world.wait(700);
  },
  "short form: cpu that drops, and the window that holds": async world => {
    await world.shop(drop(0.7, 0.2, 130));
    world.mlscaler("web", { sync_period_seconds: 15 });
    await world.wait(460);
  },
  "short form: memory": async world => {
    await world.shop(0.2);
    world.load("web", seconds => (0.2 + seconds / 2000) * gibibyte, "memory");
    world.mlscaler("web", { metric: "memory", replicas_per_unit: "8" });
    await world.wait(600);
  },
  "short form: a Pods metric": async world => {
    await world.shop(0.2);
    world.load("web", ramp(20, 15), "requests_per_second");
    world.mlscaler("web", { metric: "requests_per_second", replicas_per_unit: "50m", history_size: 8 });
    await world.wait(600);
  },
  "short form: with a forecast block": async world => {
    await world.shop(daily(0.4, 0.3));
    world.mlscaler("web", { history_size: 60, forecast: { model: "auto", horizon_seconds: 300 } });
    await world.wait(1300);
  },
  "short form: named models": async world => {
    await world.shop(daily(0.4, 0.3));
    for (const model of ["linear", "holt", "theil_sen"]) {
      world.deploy(model, 1);
      world.load(model, ramp(0.1, 0.02));
      world.mlscaler(model, { target_deployment: model, forecast: { model }, sync_period_seconds: 60 });
    }
    await world.wait(900);
  },
  "short form: some samples are missing": async world => {
    await world.shop(0.4);
    world.mlscaler();
    await world.wait(240);
    const [pod] = world.store.list(world.kind("Pod"), "shop");
    world.metrics.unsampled = new RegExp(pod?.metadata.name ?? "-");
    await world.wait(240);
    world.metrics.unsampled = /^web-/;
    await world.wait(240);
    world.metrics.unsampled = undefined;
    await world.wait(240);
  },
  "short form: samples are stale": async world => {
    await world.shop(0.4);
    world.mlscaler();
    await world.wait(180);
    world.metrics.ageSeconds = 200;
    await world.wait(120);
    world.metrics.ageSeconds = 400;
    await world.wait(180);
    world.metrics.ageSeconds = 0;
    await world.wait(120);
  },
  "short form: gaps in the history": async world => {
    await world.shop(ramp(0.2, 0.02));
    world.mlscaler("web", { history_size: 12 });
    await world.wait(300);
    for (const seconds of [60, 400]) {
      const heal = world.fault({ path: /metrics\.k8s\.io/, how: 503 });
      await world.wait(seconds);
      heal();
      await world.wait(240);
    }
  },
  "short form: the clock is put back, and on": async world => {
    await world.shop(ramp(0.2, 0.03));
    world.mlscaler("web", { history_size: 10 });
    await world.wait(300);
    world.program().wallOffset = -120_000;
    await world.wait(300);
    world.program().wallOffset = 60_000;
    await world.wait(300);
  },
  "short form: metrics API not installed, then installed": async world => {
    const [api] = world.metrics.apis;
    world.server.aggregated.delete("metrics.k8s.io");
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(300);
    if (api) world.server.aggregated.set(api.group, api);
    await world.wait(300);
  },
  "short form: pods that never start": async world => {
    await world.shop(0.3);
    world.mlscaler();
    await world.wait(120);
    world.workloads.stuck.add("web");
    world.load("web", 0.8);
    await world.wait(600);
  },
  "short form: a spec that changes": async world => {
    await world.shop(0.45);
    world.mlscaler();
    await world.wait(200);
    world.mlscaler("web", { history_size: 3 });
    await world.wait(120);
    world.mlscaler("web", { metric: "memory", replicas_per_unit: 40 });
    await world.wait(120);
    world.mlscaler("web", { sync_period_seconds: 10, replicas_per_unit: "20" });
    await world.wait(120);
  },
};
