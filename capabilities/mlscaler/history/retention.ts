/** Milliseconds of a slot of a coarse grid: five minutes. Slot n starts n slots after the epoch. */
export const slotMilliseconds = 300_000;

/** Closed slots of a load that a coarse grid keeps, and that the models look at: four weeks. */
export const keptSlots = 8064;
