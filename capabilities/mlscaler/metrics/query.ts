import { LabelSelector } from "../../common/selector";

/** A label selector as the text that the API takes: "app=web,tier in (a,b),!canary"; empty when it selects everything. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const list = `(${[...values].sort().join(",")})`;
    return { In: `${key} in ${list}`, NotIn: `${key} notin ${list}`, Exists: key, DoesNotExist: `!${key}` }[operator];
  });
  return [...labels, ...expressions].join(",");
}

/** Query parameters without those that are empty. */
export const queryOf = (parameters: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ""));
