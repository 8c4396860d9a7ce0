import { phaseOf } from "../../operator/phase";
import type { CustomObject } from "../../operator/custom-object";
import type { Forecast } from "../forecast/forecast";
import { lineOf } from "../forecast/models/line";
import { type Forecasters, type ForecastRequest, refitPeriodSeconds } from "../forecast/live-forecasters";
import type { Histories } from "../memory/load-recorder";
import type { Memory } from "../memory/memory";
import type { ActivationReading } from "../metrics/activation";
import { wasTrusted } from "../report/status";
import { idleSecondsOf, thresholdOf } from "../scaling/zero/activity";
import type { TargetLoad } from "../scaling/loads";
import { horizonSecondsOf, type Lead, nodesHorizonSecondsOf, startSecondsOf } from "../scaling/ahead/start-up";
import type { Spec, Status } from "../schema";

interface Recorded {
  totals: (TargetLoad & { index?: number })[];
  activations: ActivationReading[];
  histories: Histories;
  lead: Lead;
}

/** One forecast per load, from its history or from a line; undefined for a load without one. Never throws. */
export async function forecastsOf(
  object: CustomObject<Spec, Status>,
  forecasters: Forecasters,
  before: Memory,
  recorded: Recorded,
): Promise<(Forecast | undefined)[]> {
  const { key, metadata, spec, status } = object;
  const now = object.now.getTime();
  const { totals, activations, histories, lead } = recorded;
  const { forecast: forecasting, sync_period_seconds: period, line } = spec;
  forecasters.keepOnly(key, forecasting ? before.grids.keys() : []);
  if (line) return totals.slice(0, 1).map(({ cautious }) => lineOf(histories.series, line.samples, now, cautious));
  if (!forecasting) return [];
  const starts = startSecondsOf(lead);
  const horizonSeconds = forecasting.horizon_seconds ?? horizonSecondsOf(starts, period);
  const ofPods = forecasting.horizon_seconds ?? horizonSecondsOf(lead.startUp, period);
  const nodesHorizonSeconds = spec.capacity_buffer && nodesHorizonSecondsOf(ofPods, lead);
  const idleSeconds = spec.min_replicas > 0 ? undefined : idleSecondsOf(spec.scale_to_zero, starts);
  const coolDownSeconds = spec.scale_to_zero?.cooldown_seconds ?? 0;
  const phaseMilliseconds = phaseOf(key, refitPeriodSeconds);
  const uptime = performance.now();
  const forecasts: (Forecast | undefined)[] = [];
  for (const [index, total] of totals.entries()) {
    const load = histories.grids[index];
    const threshold = thresholdOf(activations, total);
    const request: ForecastRequest = {
      ...{ key, load: load?.id ?? "", forecasting, horizonSeconds, nodesHorizonSeconds, idleSeconds },
      ...{ uptime, phaseMilliseconds },
      occurrence: threshold === undefined ? undefined : { threshold, coolDownSeconds },
      trustedBefore: wasTrusted(status, metadata.generation, total),
    };
    const others = histories.leaders.filter(({ id }) => id !== load?.id).map(({ grid }) => grid);
    const forecast = load && (() => forecasters.forecast(request, load.grid, now, others));
    forecasts.push(forecast && (await object.turn("forecast", forecast)));
  }
  return forecasts;
}
