import { describe, expect, it } from "vitest";
import { scalerAhead } from "../../../../cli/forecast/ahead";
import { InputError } from "../../../../cli/manifests";
import { cluster, external, longForm, useSetting } from "../../mlscaler/controller/setting";
import { daily, storeHistory } from "../../mlscaler/memory/remembered";

useSetting();

const create = (): string => cluster.createOn(5, longForm([external("rps")], { forecast: { model: "last" } }));

describe("the next 24 hours of an MLScaler in a cluster", () => {
  it("are forecast from its stored history, within its bounds", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const ahead = await scalerAhead(cluster.api, cluster.stored(key), "pepr-system", Date.now());
    expect(ahead).toMatchObject({ mlscaler: "shop/web", namespace: "shop", bounds: { min: 1, max: 100 } });
    const [load] = ahead.loads;
    expect(load).toMatchObject({ unit: "rps", capacity: 100 });
    load?.path?.loads.forEach((mean, index) => {
      const at = load.path ? load.path.begins + index * 3_600_000 : NaN;
      const hourly = [0, 10, 20, 30, 40, 50].reduce((sum, minute) => sum + daily(at + minute * 60_000) / 6, 0);
      expect(Math.abs(mean / hourly - 1)).toBeLessThan(0.05);
    });
  });

  it("are not there without a history in the namespace of the module, which is said", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const asked = scalerAhead(cluster.api, cluster.stored(key), "elsewhere", Date.now());
    await expect(asked).rejects.toThrow(InputError);
    await expect(asked).rejects.toThrow("--module-namespace");
  });
});
