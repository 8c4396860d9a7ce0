import { conditions, ConditionText } from "../../capabilities/mlscaler/report/conditions";
import { mlscaler } from "../../capabilities/mlscaler/schema";
import { fieldTables } from "./fields";
import { schemaOf } from "./mlscaler";
import { code, head, table } from "./markdown";

/** The fields of status, and the columns of kubectl. */
export const statusPage = (): string =>
  [
    head("Status of an MLScaler", "capabilities/mlscaler/schema.ts"),
    "The status has the result of the last sync. Loads are Quantities in the unit of the metric.",
    "The conditions and their reasons are in [conditions](conditions.md).\n",
    fieldTables("status", schemaOf("status"), { isReadOnly: true }),
    "## Columns of kubectl get\n",
    "`kubectl get mls -o wide` also shows the columns that are marked wide.\n",
    table(
      ["Column", "Wide", "Field"],
      mlscaler.printerColumns.map(({ name, priority, jsonPath }) => [
        name.toUpperCase(),
        priority ? "wide" : "",
        code(jsonPath),
      ]),
    ),
  ].join("\n");

/** The conditions of an MLScaler with their reasons. */
export const conditionsPage = (): string =>
  [
    head("Conditions of an MLScaler", "capabilities/mlscaler/report/conditions.ts"),
    "The conditions are in `status.conditions` of an MLScaler: [status](status.md).",
    "`kubectl wait --for=condition=Ready mls/NAME` waits for one of them.\n",
    ...Object.entries<ConditionText>(conditions).map(
      ([type, { description, reasons }]) =>
        `## ${type}\n\n${description}\n\n` +
        table(
          ["Reason", "Status", "Meaning"],
          Object.entries(reasons).map(([reason, { status, meaning }]) => [code(reason), status, meaning]),
        ),
    ),
  ].join("\n");
