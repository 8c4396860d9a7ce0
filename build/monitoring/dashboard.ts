import { StackingConfigBuilder, StackingMode, VisibilityMode } from "@grafana/grafana-foundation-sdk/common";
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  type DataSourceRef,
  DatasourceVariableBuilder,
  MappingType,
  type Panel as FinishedPanel,
  QueryVariableBuilder,
  RowBuilder,
  type ValueMapping,
  VariableRefresh,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder, PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as Stat } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as StateTimeline } from "@grafana/grafana-foundation-sdk/statetimeline";
import { PanelBuilder as Table } from "@grafana/grafana-foundation-sdk/table";
import { PanelBuilder as TimeSeries } from "@grafana/grafana-foundation-sdk/timeseries";
import { columns, type Panel, type Row, rows } from "./panels";
import { type KnownSeries, namesIn, requireKnown } from "./series";

const uid = "mlscaler";
const datasource: DataSourceRef = { type: "prometheus", uid: "${datasource}" };

const yesOrNo: ValueMapping = {
  type: MappingType.ValueToText,
  options: { 0: { text: "no", color: "red" }, 1: { text: "yes", color: "green" } },
};

/** A builder of one of the kinds of panels. */
type Builder = Stat | StateTimeline | Table | TimeSeries;

/**
 * The dashboard as Grafana loads it: the fleet, one MLScaler and the module. Panels get their descriptions from the
 * series that they draw. Throws when an expression names what `known` does not have.
 */
export function dashboardOf(known: KnownSeries, all: readonly Row[] = rows): Dashboard {
  const builder = new DashboardBuilder("MLScaler")
    .uid(uid)
    .description("Generated from build/monitoring/panels.ts by `npm run build`. Do not edit.")
    .tags(["mlscaler", "kubernetes"])
    .time({ from: "now-24h", to: "now" })
    .refresh("1m")
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus"))
    .withVariable(choice("namespace", "label_values(mlscaler_ready, namespace)"))
    .withVariable(choice("name", 'label_values(mlscaler_ready{namespace="$namespace"}, name)'));
  for (const [index, { title, panels }] of all.entries()) {
    builder.withRow(new RowBuilder(title));
    for (const panel of panels) builder.withPanel({ build: () => built(panel, known) });
    if (index === 0) builder.withPanel({ build: () => tableOfAll(known) });
  }
  const dashboard = builder.build();
  // Grafana tells panels apart by their ids.
  dashboard.panels?.forEach((panel, index) => (panel.id = index + 1));
  return dashboard;
}

const choice = (name: string, query: string): QueryVariableBuilder =>
  new QueryVariableBuilder(name).query(query).datasource(datasource).refresh(VariableRefresh.OnTimeRangeChanged);

function built({ title, drawing, unit, queries, band }: Panel, known: KnownSeries): FinishedPanel {
  const panel = drawn(drawing).title(title).unit(unit).datasource(datasource);
  for (const [index, { expr, legend }] of queries.entries()) {
    requireKnown(title, expr, known);
    panel.withTarget(new DataqueryBuilder().expr(expr).range().legendFormat(legend).refId(letterOf(index)));
  }
  if (band)
    panel.overrideByName(band.upper, [
      { id: "custom.fillBelowTo", value: band.lower },
      { id: "custom.fillOpacity", value: 20 },
    ]);
  return panel
    .description(
      meaningOf(
        queries.map(({ expr }) => expr),
        known,
      ),
    )
    .build();
}

function drawn(drawing: Panel["drawing"]): Builder {
  switch (drawing) {
    case "Number":
      return new Stat().span(4).height(4);
    case "States":
      return new StateTimeline().span(8).height(8).showValue(VisibilityMode.Never).mappings([yesOrNo]);
    case "Lines":
      return new TimeSeries().span(8).height(8).showPoints(VisibilityMode.Never);
    case "Areas":
      return new TimeSeries()
        .span(8)
        .height(8)
        .showPoints(VisibilityMode.Never)
        .fillOpacity(40)
        .stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  }
}

/** The letter by which Grafana names a query of a panel. */
const letterOf = (index: number): string => String.fromCharCode("A".charCodeAt(0) + index);

/** What the series of these expressions mean, one a line. */
const meaningOf = (expressions: readonly string[], known: KnownSeries): string =>
  [...new Set(expressions.flatMap(namesIn))].map(name => `\`${name}\`: ${known.get(name)?.help}.`).join("\n\n");

/** A table of all MLScalers. A click on a name chooses it for the rows below. */
function tableOfAll(known: KnownSeries): FinishedPanel {
  const title = "MLScalers now";
  const table = new Table().title(title).datasource(datasource).span(24).height(10);
  const names: Record<string, string> = { namespace: "Namespace", name: "Name" };
  for (const [index, { title: column, expr, unit }] of columns.entries()) {
    requireKnown(title, expr, known);
    const refId = letterOf(index);
    table.withTarget(new DataqueryBuilder().expr(expr).instant().format(PromQueryFormat.Table).refId(refId));
    table.overrideByName(column, [{ id: "unit", value: unit }]);
    // Grafana's name for the value of a query in a merged table.
    names[`Value #${refId}`] = column;
  }
  const fields = "var-namespace=${__data.fields.Namespace}&var-name=${__data.fields.Name}";
  const link = `/d/${uid}?${fields}&\${__url_time_range}`;
  return table
    .overrideByName("Name", [{ id: "links", value: [{ title: "Show this one", url: link }] }])
    .withTransformation({ id: "merge", options: {} })
    .withTransformation({ id: "organize", options: { excludeByName: { Time: true }, renameByName: names } })
    .description(
      meaningOf(
        columns.map(({ expr }) => expr),
        known,
      ),
    )
    .build();
}
