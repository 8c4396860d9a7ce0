import { geometricMean } from "./forecast-figures";
import { type NodesMeasured, nodeUtilization } from "./nodes";
import { table } from "./report";

/** The ratios of a trace at equal node-hours, with the headings of their columns. */
const ratios: { heading: string; of: (measured: NodesMeasured) => number }[] = [
  { heading: "HPA + 20 %\nof HPA's", of: ({ ofHpa }) => ofHpa.hpa_buffer },
  { heading: "MLScaler\nof HPA's", of: ({ ofHpa }) => ofHpa.mlscaler },
  { heading: "with buffer\nof HPA's", of: ({ ofHpa }) => ofHpa.mlscaler_buffer },
  { heading: "MLScaler of\nHPA + 20 %'s", of: ({ ofStaticBuffer }) => ofStaticBuffer.mlscaler },
  { heading: "with buffer of\nHPA + 20 %'s", of: ({ ofStaticBuffer }) => ofStaticBuffer.mlscaler_buffer },
];

/** The four policies with the target of the HPA, and the ratios of their unserved load at equal node-hours. */
export function nodesTablesOf(measured: NodesMeasured[]): string {
  const figure = ({ cost, unserved }: NodesMeasured["plain"]["hpa"]): string =>
    `${cost.toFixed(2)}, ${unserved.toFixed(2)} %`;
  const target = `a target of ${100 * nodeUtilization} %`;
  return [
    `Node-hours over those of an oracle, and unserved load, all with ${target}:`,
    table(
      ["", "HPA", "HPA + 20 %", "MLScaler", "with buffer"],
      measured.map(({ name, plain }) => [
        name,
        ...[plain.hpa, plain.hpa_buffer, plain.mlscaler, plain.mlscaler_buffer].map(figure),
      ]),
    ),
    `Unserved load at equal node-hours, over that of the HPA, and of the HPA with a static buffer, both with ${target}:`,
    table(
      ["", ...ratios.map(({ heading }) => heading)],
      [
        ...measured.map(one => [one.name, ...ratios.map(({ of }) => of(one).toFixed(3))]),
        ["geometric mean", ...ratios.map(({ of }) => geometricMean(measured.map(of)).toFixed(3))],
      ],
    ),
    "All of this is simulated. For a run beside the real Karpenter: npm start -- --example nodes",
  ].join("\n");
}
