export const hourMilliseconds = 3_600_000;
export const dayMilliseconds = 24 * hourMilliseconds;

/** Milliseconds of a slot of a coarse grid: five minutes. Slot n starts n slots after the epoch. */
export const slotMilliseconds = 300_000;

export const daySlots = dayMilliseconds / slotMilliseconds;

/** Days of a load that a coarse grid keeps, and that the models look at: four weeks. */
export const keptDays = 28;

export const keptSlots = keptDays * daySlots;
