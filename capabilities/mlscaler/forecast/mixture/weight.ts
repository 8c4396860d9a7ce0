/** The exponent of the weights: they are proportional to error^-power. */
const usualPower = 24;

/** The weight of a forecast with this recent error, where the best forecast has the error `least`. */
export const weightOf = (error: number, least: number, power = usualPower): number =>
  error > 0 ? (least / error) ** power : 1;
