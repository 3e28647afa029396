/** Figures by name; a lower one is better but for those a second. */
export type Figures = Record<string, number>;

/** The number below which such a share of them lies. */
export const quantile = (numbers: number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]!;
