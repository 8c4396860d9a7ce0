import { mostQuantity } from "../../../common/quantity";
import { Reading } from "../../scaling/reading";
import { failed } from "../api";
import { Prometheus, wantedOf } from "../prometheus";
import { Metric } from "../schema";
import { Source, Subject } from "../source";

type PrometheusBlock = NonNullable<Metric["prometheus"]>;

/** What a query comes to. */
export class PrometheusSource implements Source<PrometheusBlock> {
  constructor(readonly prometheus: Prometheus) {}

  async read({ server, query }: PrometheusBlock, { now }: Subject): Promise<Reading> {
    const value = await this.prometheus.query(server, query, now);
    if (value < 0)
      throw failed(wantedOf(query), `its value is ${value}, and no load is below 0; see what it subtracts`);
    return { milli: milliOf(value) };
  }
}

/** In thousandths, rounded up as HPA's values are, where the digits are not those of a double only. */
const milliOf = (value: number): number => Math.min(Math.ceil(Number((value * 1000).toFixed(6))), mostQuantity);
