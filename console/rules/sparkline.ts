/** Returns the SVG path of values over equal steps, the maximum at the top; null values interrupt it. */
export function sparklinePath(values: readonly (number | null)[], width: number, height: number): string {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  let path = '';
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const point = `${round(i * step)} ${round(height - (value / most) * height)}`;
    // A line to the same point draws a single value as a dot.
    path += (values[i - 1] ?? null) === null ? `M${point}L${point}` : `L${point}`;
  }
  return path;
}

const round = (n: number): number => Math.round(n * 10) / 10;

/** Describes values in ms: `Latency, last 24 h: 12 to 240 ms, last 14 ms`. */
export function sparklineSummary(values: readonly (number | null)[], title: string): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return `${title}: no data`;
  return `${title}: ${Math.min(...known)} to ${Math.max(...known)} ms, last ${known.at(-1)} ms`;
}
