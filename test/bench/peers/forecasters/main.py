"""Forecasts one trace by one peer, three slots ahead from each slot of its last part.

Reads JSON from stdin: peer, values, stepSeconds, startedAt (epoch seconds), from, steps, kept (the slots of history).
Prints JSON: loads and uppers (the 90 % quantile), one for each origin from `from` on.
An origin knows the values up to its own slot.
"""

import json
import logging
import sys
import warnings

import numpy as np

DAY_SECONDS = 86_400
QUANTILE = 0.9
# Slots that a regression sees one by one, and neighbours of the same slot a day and a week before.
LAGS = 24
AROUND = (-1, 0, 1)


def prophet(values, step, started, first, steps, kept):
    """Prophet with its defaults, refitted once a day on what is kept."""
    import pandas
    from prophet import Prophet

    logging.getLogger("cmdstanpy").disabled = True
    times = pandas.to_datetime(started + step * np.arange(len(values) + steps), unit="s")
    day = DAY_SECONDS // step
    loads, uppers = [], []
    for origin in range(first, len(values), day):
        oldest = max(0, origin + 1 - kept)
        known = pandas.DataFrame({"ds": times[oldest : origin + 1], "y": values[oldest : origin + 1]})
        # The upper end of an interval of 80 % is the 90 % quantile.
        model = Prophet(interval_width=2 * QUANTILE - 1).fit(known, seed=1)
        until = min(origin + day, len(values))
        np.random.seed(1)
        found = model.predict(pandas.DataFrame({"ds": times[origin + steps : until + steps]}))
        loads += np.maximum(found["yhat"], 0).tolist()
        uppers += np.maximum(found["yhat_upper"], 0).tolist()
    return loads, uppers


def features(values, step, started, steps):
    """One row for each origin: lags, seasonal lags around the target as changes from the newest load, and its time."""
    slots = np.arange(len(values))
    day = DAY_SECONDS // step

    def at(which):
        return np.where((which >= 0) & (which <= slots), values[np.clip(which, 0, len(values) - 1)], np.nan)

    columns = [values] + [at(slots - lag) - values for lag in range(1, LAGS + 1)]
    for season in (day, 7 * day):
        columns += [at(slots + steps + near - season) - values for near in AROUND]
    target = started + step * (slots + steps)
    return np.column_stack([*columns, target % DAY_SECONDS, target // DAY_SECONDS % 7])


def lightgbm(values, step, started, first, steps, kept):
    """Boosted trees for the median and for the quantile of the change from the newest load, refitted once a day."""
    import lightgbm as lgb

    rows = features(values, step, started, steps)
    change = np.full(len(values), np.nan)
    change[:-steps] = values[steps:] - values[:-steps]
    day = DAY_SECONDS // step
    settings = {"num_leaves": 15, "learning_rate": 0.05, "min_data_in_leaf": 40, "num_threads": 1}
    settings |= {"verbose": -1, "deterministic": True, "seed": 1, "feature_fraction": 0.7}
    loads, uppers = [], []
    for origin in range(first, len(values), day):
        known = slice(max(0, origin + 1 - kept), origin + 1 - steps)
        asked = slice(origin, min(origin + day, len(values)))
        for objective, into in (({"objective": "l1"}, loads), ({"objective": "quantile", "alpha": QUANTILE}, uppers)):
            data = lgb.Dataset(rows[known], change[known])
            model = lgb.train(settings | objective, data, num_boost_round=200)
            into += np.maximum(values[asked] + model.predict(rows[asked]), 0).tolist()
    return loads, uppers


def holt_winters(values, step, _started, first, steps, _kept):
    """Additive Holt-Winters over four seasons of a day, with the smoothing parameters of PHPA's example."""
    return smoothed(values, step, first, steps, (0.9, 0.9, 0.9))


def holt_winters_calm(values, step, _started, first, steps, _kept):
    """The same with parameters that suit a season of many slots."""
    return smoothed(values, step, first, steps, (0.5, 0.01, 0.2))


def smoothed(values, step, first, steps, parameters):
    """
    Smooths four seasons and a day at once. The parameters are given, so the states after a slot depend on no later one:
    they are those of a fit that ends with this slot.
    """
    from statsmodels.tsa.api import ExponentialSmoothing

    day = DAY_SECONDS // step
    level, trend, season = parameters
    loads = []
    for origin in range(first, len(values), day):
        oldest = max(0, origin + 1 - 4 * day)
        until = min(origin + day, len(values))
        model = ExponentialSmoothing(
            values[oldest:until], trend="add", seasonal="add", seasonal_periods=day, initialization_method="heuristic"
        )
        fitted = model.fit(smoothing_level=level, smoothing_trend=trend, smoothing_seasonal=season, optimized=False)
        for slot in range(origin - oldest, until - oldest):
            load = fitted.level[slot] + steps * fitted.trend[slot] + fitted.season[slot + steps - day]
            loads.append(float(min(max(load, 0), 1e12)) if np.isfinite(load) else 1e12)
    # PHPA has no quantile: it scales by the forecast.
    return loads, loads


PEERS = {
    "prophet": prophet,
    "lightgbm": lightgbm,
    "holt-winters": holt_winters,
    "holt-winters-calm": holt_winters_calm,
}


def main():
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    loads, uppers = PEERS[asked["peer"]](
        np.asarray(asked["values"], dtype=float),
        asked["stepSeconds"],
        asked["startedAt"],
        asked["from"],
        asked["steps"],
        asked["kept"],
    )
    json.dump({"loads": loads, "uppers": uppers}, sys.stdout)


if __name__ == "__main__":
    main()
