import { Script } from "../script";
import * as admission from "./admission";
import * as bounds from "./bounds";
import * as deletion from "./deletion";
import * as faults from "./faults";
import * as forecast from "./forecast";
import * as longForm from "./long-form";
import * as processes from "./processes";
import * as resources from "./resources";
import * as shortForm from "./short-form";
import * as spec from "./spec";
import * as targets from "./targets";
import * as zero from "./zero";

/** All runs by name. */
export const runs: Readonly<Record<string, Script>> = {
  ...shortForm.runs,
  ...longForm.runs,
  ...bounds.runs,
  ...zero.runs,
  ...targets.runs,
  ...spec.runs,
  ...faults.runs,
  ...processes.runs,
  ...deletion.runs,
  ...forecast.runs,
  ...resources.runs,
  ...admission.runs,
};
