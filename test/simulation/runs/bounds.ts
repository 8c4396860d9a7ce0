import { Fields } from "../objects";
import { square } from "../courses";
import { cpu } from "./long-form";
import { Script } from "../script";

const schedule = (name: string, cron: string, seconds: number, bounds: Fields): Fields => ({
  ...{ name, cron, duration_seconds: seconds, ...bounds },
});

/** Bounds and schedules, pause, mode, and the behavior without metrics. */
export const runs: Record<string, Script> = {
  "bounds: above max and below min": async world => {
    await world.shop(0.3, 14);
    world.mlscaler("web", { min_replicas: 3, max_replicas: 9 });
    await world.wait(120);
    world.scale("web", 1);
    await world.wait(120);
    world.mlscaler("web", { min_replicas: 5 });
    await world.wait(120);
  },
  "bounds: without metrics": async world => {
    await world.shop(0.3, 1);
    world.fault({ path: /metrics\.k8s\.io/, how: 403 });
    world.mlscaler("web", { min_replicas: 3 });
    await world.wait(200);
  },
  "bounds: schedules that open and close": async world => {
    await world.shop(0.15);
    const schedules = [
      schedule("rush", "5 8 * * *", 300, { min_replicas: 6 }),
      schedule("quiet", "15 8 * * MON-FRI", 600, { max_replicas: 2 }),
      schedule("elsewhere", "20 10 * * *", 120, { timezone: "Europe/Berlin", min_replicas: 4, max_replicas: 5 }),
    ];
    world.mlscaler("web", { schedules });
    await world.wait(1800);
  },
  "bounds: a schedule that is not valid": async world => {
    await world.shop(0.4);
    world.mlscaler("web", { schedules: [schedule("odd", "61 8 * * *", 300, { min_replicas: 6 })] });
    await world.wait(200);
    world.mlscaler("web", {
      schedules: [schedule("odd", "1 8 * * *", 300, { timezone: "Mars/Base", min_replicas: 6 })],
    });
    await world.wait(200);
    world.mlscaler("web", { schedules: [] });
    await world.wait(100);
  },
  "bounds: target at 0": async world => {
    await world.shop(0.4, 0);
    world.mlscaler();
    await world.wait(120);
    world.scale("web", 2);
    await world.wait(200);
    world.scale("web", 0);
    await world.wait(100);
  },
  "pause: all values": async world => {
    await world.shop(square(0.2, 0.8, 100));
    world.mlscaler();
    await world.wait(120);
    for (const pause of ["Down", "Up", "All", "None"]) {
      world.mlscaler("web", { pause });
      await world.wait(260);
    }
  },
  "pause: long form": async world => {
    await world.shop(square(0.4, 2, 200));
    world.longForm("web", [cpu(50)]);
    for (const pause of ["Up", "Down", "All", "None"]) {
      world.longForm("web", [cpu(50)], { pause });
      await world.wait(330);
    }
  },
  "mode: Observe, then Active": async world => {
    await world.shop(0.65);
    world.mlscaler("web", { mode: "Observe" });
    await world.wait(200);
    world.mlscaler("web", { mode: "Active" });
    await world.wait(120);
    world.mlscaler("web", { mode: "Observe" });
    world.load("web", 0.1);
    await world.wait(120);
  },
  "on metric failure: Hold": async world => {
    await world.shop(0.5);
    world.mlscaler("web", { on_metric_failure: { behavior: "Hold", failure_threshold: 2 } });
    await world.wait(150);
    world.fault({ path: /metrics\.k8s\.io/, how: 500 });
    await world.wait(300);
  },
  "on metric failure: Floor": async world => {
    await world.shop(0.2);
    world.mlscaler("web", { on_metric_failure: { behavior: "Floor", failure_threshold: 3, replicas: 7 } });
    await world.wait(150);
    const heal = world.fault({ path: /metrics\.k8s\.io/, how: 429, retryAfter: 1 });
    await world.wait(300);
    heal();
    await world.wait(200);
  },
  "on metric failure: Forecast": async world => {
    await world.shop(0.2);
    world.longForm("web", [cpu(50)], { on_metric_failure: { behavior: "Forecast", failure_threshold: 1 } });
    await world.wait(150);
    world.metrics.unsampled = /^web-/;
    await world.wait(200);
  },
};
