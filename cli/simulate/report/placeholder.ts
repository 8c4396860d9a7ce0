/** The page with data as JSON in place of its placeholder. Escapes "</script", which would end the script with it. */
export const withReport = (page: string, json: string): string =>
  page.replace("REPORT", () => json.replaceAll("<", "\\u003c"));
