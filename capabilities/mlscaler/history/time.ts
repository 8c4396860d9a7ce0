/** Milliseconds of a day. */
export const dayMilliseconds = 86_400_000;
/** Milliseconds of an hour. */
export const hourMilliseconds = 3_600_000;
