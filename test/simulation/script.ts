import { World } from "./world";

/** The events of a run. */
export type Script = (world: World) => Promise<void>;
