import { Invariant, Truth } from "../truth";
import { bounded } from "./bounded";
import { isolation } from "./isolation";
import { liveness } from "./liveness";
import { nothingLost } from "./nothing-lost";
import { oneWriter } from "./one-writer";
import { truthful } from "./truthful";
import { unknownNeverLowers } from "./unknown-never-lowers";

/** All promises of the module. */
export const invariantsOf = (truth: Truth): Invariant[] =>
  [unknownNeverLowers, isolation, oneWriter, nothingLost, bounded, truthful, liveness].map(of => of(truth));
