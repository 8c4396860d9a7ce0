import { bugs as acting } from "./acting";
import { bugs as admitting } from "./admitting";
import { Bug } from "./bug";
import { bugs as deciding } from "./deciding";
import { bugs as fixed } from "./fixed";
import { bugs as reading } from "./reading";
import { bugs as remembering } from "./remembering";
import { bugs as reporting } from "./reporting";
import { bugs as sharing } from "./sharing";

/** Bugs that an invariant of the simulation must notice. */
export const bugs: readonly Bug[] = [
  ...acting,
  ...reading,
  ...deciding,
  ...remembering,
  ...reporting,
  ...fixed,
  ...admitting,
  ...sharing,
];
