import type { FieldSpec } from './form-fields.ts';
import { duration } from './time.ts';

const UNITS = [
  { name: 'ms', ms: 1 },
  { name: 's', ms: 1000 },
  { name: 'min', ms: 60_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'd', ms: 86_400_000 },
] as const;

export type Unit = (typeof UNITS)[number]['name'];
type Range = Pick<FieldSpec, 'unit'> & Partial<Pick<FieldSpec, 'minimum' | 'maximum'>>;

const msOf = (name: Unit): number => UNITS.find((one) => one.name === name)!.ms;

/** Returns the units for a duration: from the unit of the API to the largest one within the limit. */
export const unitsOf = ({ unit, maximum = Number.POSITIVE_INFINITY }: Range): Unit[] =>
  UNITS.filter(({ ms }) => ms >= unit && ms <= maximum * unit).map(({ name }) => name);

/** Splits a duration of the API into the largest unit with a whole amount: `300` s is 5 min. Other text is kept. */
export function splitDuration(range: Range, text: string): { amount: string; unit: Unit } {
  const units = unitsOf(range);
  const usual = units.includes('min') ? 'min' : units.at(-1)!;
  const ms = Number(text) * range.unit;
  if (text.trim() === '' || !Number.isFinite(ms) || ms === 0) return { amount: text, unit: usual };
  const unit = units.findLast((name) => ms % msOf(name) === 0) ?? units[0]!;
  return { amount: String(ms / msOf(unit)), unit };
}

/** Returns an amount in the unit of the API: 5 min is `300` s. Text that is not a number is kept. */
export function joinDuration({ unit: wire }: Range, amount: string, unit: Unit): string {
  const ms = Number(amount) * msOf(unit);
  if (amount.trim() === '' || !Number.isFinite(ms)) return amount;
  // Removes the rounding errors of fractions such as 1.1 h.
  return String(Number((ms / wire).toFixed(3)));
}

/** Formats a duration of the API: `5 min`, `500 ms`. Empty text stays empty. */
export function durationText(range: Range, text: string): string {
  const { amount, unit } = splitDuration(range, text);
  return text === '' ? '' : `${amount} ${unit}`;
}

/** Adds a unit to the default in the hint of a duration: `Default: 300.` becomes `Default: 5 min.` */
export const withDefault = (range: Range, hint: string): string =>
  hint.replace(/(?<=\bDefault: )\d[\d,]*/, (digits) => durationText(range, digits.replaceAll(',', '')));

/** Describes the limits of a duration: `1 s to 1 d.`, `At most 7 d.`; empty without a maximum. */
export function rangeText(range: Range): string {
  const { minimum = 0, maximum } = range;
  if (maximum === undefined) return '';
  const text = (value: number) => (value * range.unit < 1000 ? `${value} ms` : duration(value * range.unit));
  return minimum > 0 ? `${text(minimum)} to ${text(maximum)}.` : `At most ${text(maximum)}.`;
}
