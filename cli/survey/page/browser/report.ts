/// <reference lib="dom" />
import { withReport } from "../../../simulate/report/placeholder";

/** Opens the report of a workload in a new tab. Both are deflated, in base64. */
export function openReport(page: string, report: string): void {
  // A tab that is opened later is taken for a popup.
  const tab = window.open("about:blank", "_blank");
  void Promise.all([page, report].map(inflated)).then(([html = "", json = ""]) => {
    const url = URL.createObjectURL(new Blob([withReport(html, json)], { type: "text/html" }));
    if (tab) tab.location.href = url;
  });
}

function inflated(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}
