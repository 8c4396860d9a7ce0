export const dayMilliseconds = 86_400_000;
export const hourMilliseconds = 3_600_000;
