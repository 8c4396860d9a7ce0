import { Gain, gainsFrom, Met, negligible } from "./gain";

/** The change of the cost in percent up to which an MLScaler scales as the HPA does. */
const unchangedPercent = 0.5;

/** Why a workload gains or not, in one clause. */
export function reasonOf({
  verdict,
  unservedPercent,
  equalCost,
  equalService,
  extraPercent,
  savedPercent,
}: Gain): string {
  const { hpa, mlscaler } = unservedPercent;
  if (verdict === "unsure") return "without one of the judged days the verdict would often be another one";
  if (verdict === "gains")
    return `at equal cost ${shareText(mlscaler / equalCost.unserved)} unserved as by ${rivalText(equalCost)}`;
  if (hpa < negligible) return "the HPA leaves next to nothing unserved";
  if (Math.abs(extraPercent) < unchangedPercent) return "the forecast is not worth its replicas, so it adds none";
  if (savedPercent < -unchangedPercent)
    return `${rivalText(equalService)} serves as well, ${percentText(-savedPercent)} cheaper`;
  if (savedPercent < gainsFrom.savedPercent)
    return `saves only ${percentText(Math.max(0, savedPercent))} against ${rivalText(equalService)}`;
  return `at equal cost ${rivalText(equalCost)} leaves ${equalCost.unserved.toFixed(2)} % unserved, MLScaler ${mlscaler.toFixed(2)} %`;
}

/** "half as much is", "12 % as much is". */
function shareText(share: number): string {
  const percent = Math.round(100 * share);
  const named = percent >= 47 && percent <= 53 ? "half" : `${percent < 1 ? "<1" : percent} %`;
  return `${named} as much is`;
}

/** "an HPA with a target of 70 %", "12 replicas all the time". */
const rivalText = ({ kind, value }: Met): string =>
  kind === "target"
    ? `an HPA with a target of ${value.toFixed(0)} %`
    : `a steady count of ${value.toFixed(0)} replicas`;

const percentText = (percent: number): string => `${percent < 1 ? percent.toFixed(1) : percent.toFixed(0)} %`;
