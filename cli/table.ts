import type { TableConstructorOptions } from "cli-table3";

type Characters = NonNullable<TableConstructorOptions["chars"]>;

/** Border characters of cli-table3 for a table without lines. @param between text between two columns */
export const withoutLines = (between = ""): Characters => ({
  ...{ top: "", "top-mid": "", "top-left": "", "top-right": "" },
  ...{ bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" },
  ...{ left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "" },
  middle: between,
});
