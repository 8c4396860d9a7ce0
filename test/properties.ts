import fc from "fast-check";
import { seedOfCommit } from "./commit";

// The configuration of vitest sets MLSCALER_SEED, so that no process asks git.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOfCommit() });
