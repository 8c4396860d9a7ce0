import type { TableConstructorOptions } from "cli-table3";

/** Border characters of cli-table3 for a table without lines. */
export const withoutLines: TableConstructorOptions["chars"] = {
  ...{ top: "", "top-mid": "", "top-left": "", "top-right": "" },
  ...{ bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" },
  ...{ left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "", middle: "" },
};
