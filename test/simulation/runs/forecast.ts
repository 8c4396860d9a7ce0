import { daily, daySeconds, lost } from "../courses";
import { prometheus } from "./long-form";
import { Script } from "../script";

const load = "sum(rate(requests[1m]))";

/** Forecasts with history from Prometheus, so that they are trusted within minutes. */
export const runs: Record<string, Script> = {
  "forecast: trusted, and raises in the morning": async world => {
    await world.shop(0.4);
    world.prometheus.sinceSeconds = -14 * daySeconds;
    world.query(load, daily(500, 350, 0.01));
    world.longForm("web", [prometheus(load, "40")], { max_replicas: 40, forecast: { horizon_seconds: 1800 } });
    await world.wait(900);
  },
  "forecast: trusted, and the metrics fail": async world => {
    await world.shop(0.4);
    world.prometheus.sinceSeconds = -14 * daySeconds;
    world.query(load, daily(500, 350, 0.01));
    world.longForm("web", [prometheus(load, "40")], {
      max_replicas: 40,
      forecast: { model: "holt_winters", horizon_seconds: 1800, max_extra_percent: 30 },
      on_metric_failure: { behavior: "Forecast", failure_threshold: 2 },
    });
    await world.wait(400);
    world.prometheusReachable(false);
    await world.wait(300);
  },
  "forecast: demoted, as the rhythm was lost while nobody looked": async world => {
    await world.shop(0.4);
    world.prometheus.sinceSeconds = -10 * daySeconds;
    world.query(load, lost(500, 350));
    const spec = { max_replicas: 40, forecast: { model: "lags", horizon_seconds: 900 } };
    world.longForm("web", [prometheus(load, "40")], spec);
    await world.wait(300);
    world.program().terminate();
    await world.wait(20 * 3600);
    world.start();
    await world.wait(300);
  },
  "forecast: its history is stored, and taken up": async world => {
    await world.shop(0.4);
    world.prometheus.sinceSeconds = -3 * daySeconds;
    world.query(load, daily(500, 350, 0.01));
    world.longForm("web", [prometheus(load, "40")], { max_replicas: 40, forecast: { seasonality: ["Daily"] } });
    await world.wait(400);
    world.program().terminate();
    await world.wait(300);
    world.prometheus.sinceSeconds = 0;
    world.start();
    await world.wait(300);
  },
  "forecast: in Observe, of two loads": async world => {
    await world.shop(0.4);
    world.prometheus.sinceSeconds = -2 * daySeconds;
    world.query(load, daily(500, 350, 0.01));
    world.query("queue", daily(90, 20));
    world.longForm("web", [prometheus(load, "40"), prometheus("queue", "5")], { mode: "Observe", max_replicas: 40 });
    await world.wait(400);
  },
};
