import { Invariant, Truth } from "../truth";
import { assists } from "./assist";
import { bounded } from "./bounded";
import { buffers } from "./buffers";
import { days } from "./days";
import { deletions } from "./deletions";
import { forecasts } from "./forecasts";
import { isolation, patience } from "./isolation";
import { liveness } from "./liveness";
import { nothingLost } from "./nothing-lost";
import { oneAutoscaler } from "./one-autoscaler";
import { oneWriter } from "./one-writer";
import { putsBack } from "./put-back";
import { stored } from "./stored";
import { truthful } from "./truthful";
import { watched } from "./watched";
import { zeroAndBack } from "./zero-and-back";
import { unknownNeverLowers } from "./unknown-never-lowers";

const invariants = [
  unknownNeverLowers,
  isolation,
  patience,
  oneWriter,
  oneAutoscaler,
  nothingLost,
  bounded,
  truthful,
  liveness,
  deletions,
  watched,
  zeroAndBack,
  stored,
  days,
  forecasts,
  assists,
  putsBack,
  buffers,
];

/** All promises of the module. */
export const invariantsOf = (truth: Truth): Invariant[] => invariants.map(of => of(truth));
