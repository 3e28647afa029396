/** Figures by name; lower is better, except for rates. */
export type Figures = Record<string, number>;

/** Returns the quantile of numbers. */
export const quantile = (numbers: number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]!;
