import type { Assertion } from './assertion.ts';
import { holds, type Scalar, type Subject } from './operators.ts';

const FIRST = 100;
const LAST = 599;

/** Statuses from the first to the last one. */
type Range = { first: number; last: number };

/** What a status, a class (`"2xx"`) or a range (`"200-299"`) stands for; undefined when it is none. */
export function statusesOf(value: unknown): Range | undefined {
  if (typeof value === 'number') return isStatus(value) ? { first: value, last: value } : undefined;
  const [, level, from, to] = /^(?:([1-5])xx|([1-5]\d\d)-([1-5]\d\d))$/i.exec(String(value)) ?? [];
  if (level) return { first: Number(level) * 100, last: Number(level) * 100 + 99 };
  return from && to && from <= to ? { first: Number(from), last: Number(to) } : undefined;
}

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= FIRST && value <= LAST;

/** A status as operators look at it. */
export const statusSubject = (status: number): Subject => ({
  exists: true,
  number: status,
  equals(wanted: Scalar) {
    const range = statusesOf(wanted);
    return range !== undefined && status >= range.first && status <= range.last;
  },
});

/** Assertions that take the place of expected_status: those on the status that make a check fail. */
export const decidesStatus = ({ source, severity }: Assertion): boolean =>
  source === 'status_code' && severity === 'fail';

/** Those of success first: mostly one of them says it. */
const STATUSES = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + ((i + 100) % 500));

/** Whether each status that all of these let pass is one of a kind, and there is such a status. Pure. */
export function acceptsOnly(assertions: readonly Assertion[], isOfKind: (status: number) => boolean): boolean {
  let accepted = 0;
  for (const status of STATUSES) {
    const subject = statusSubject(status);
    if (!assertions.every(({ operator, value }) => holds(operator, value, subject, false))) continue;
    if (!isOfKind(status)) return false;
    accepted++;
  }
  return accepted > 0;
}
