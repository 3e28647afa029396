/** Formats a count with its noun: `1 check`, `2 checks`, `1,200 entities`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;

/** Formats a whole number with separators, independent of the browser. */
export const number = (n: number): string => n.toLocaleString('en');

/** Joins words: `a`, `a and b`, `a, b and c`. */
export const list = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** Formats a ratio: `99.98 %`; `–` for null. Shows 100 % and 0 % only for exact values. */
export function percent(ratio: number | null): string {
  if (ratio === null) return '–';
  if (ratio >= 1) return '100 %';
  if (ratio <= 0) return '0 %';
  const shown = Math.min(99.99, Math.max(0.01, Math.floor(ratio * 10_000) / 100));
  return `${shown.toFixed(2)} %`;
}
