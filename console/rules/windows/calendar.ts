import type { Zone } from '#console/rules/time.ts';
import type { TimeRange } from '#lib/schedule/calendar/window-ranges.ts';

/** Day of a zone: [from, to) in epoch ms, 23 to 25 hours. */
export type Day = TimeRange & {
  /** Day of the month. */
  number: number;
  /** Whether the day is in the shown month. */
  isIn: boolean;
};

/** Month in addresses: `2026-12`. */
type Month = string;

/** Returns the month of a time (epoch ms). */
export function monthAt(at: number, zone: Zone): Month {
  const date = new Date(at);
  const [year, month] =
    zone === 'utc' ? [date.getUTCFullYear(), date.getUTCMonth()] : [date.getFullYear(), date.getMonth()];
  return named(year, month);
}

export function monthsLater(month: Month, count: number): Month {
  const [year, number] = partsOf(month);
  const date = new Date(Date.UTC(year, number + count));
  return named(date.getUTCFullYear(), date.getUTCMonth());
}

export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

const named = (year: number, month: number): Month =>
  `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}`;

/** Returns year and month; the month counts from 0, as in Date. */
function partsOf(month: Month): [number, number] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return [year, number - 1];
}

/** Returns whole weeks. @param monday day of the month of the first Monday; it can be outside the month, such as -2 */
function weeksOfDays([year, month]: readonly [number, number], monday: number, count: number, zone: Zone): Day[][] {
  const midnight = (day: number) =>
    zone === 'utc' ? Date.UTC(year, month, day) : new Date(year, month, day).getTime();
  const dayOf = (day: number): Day => {
    const date = new Date(Date.UTC(year, month, day));
    return {
      from: midnight(day),
      to: midnight(day + 1),
      number: date.getUTCDate(),
      isIn: date.getUTCMonth() === month,
    };
  };
  return Array.from({ length: count }, (_, week) => Array.from({ length: 7 }, (_, i) => dayOf(monday + week * 7 + i)));
}

/** Returns the weeks of a month as whole weeks from Monday. */
export function weeksOf(month: Month, zone: Zone): Day[][] {
  const [year, number] = partsOf(month);
  // getUTCDay is 0 on Sunday.
  const before = (new Date(Date.UTC(year, number, 1)).getUTCDay() + 6) % 7;
  const last = new Date(Date.UTC(year, number + 1, 0)).getUTCDate();
  return weeksOfDays([year, number], 1 - before, Math.ceil((before + last) / 7), zone);
}

/** Returns `count` whole weeks from Monday. The first contains `at` (epoch ms). */
export function weeksFrom(at: number, zone: Zone, count: number): Day[][] {
  const date = new Date(at);
  const [year, month, day, weekday] =
    zone === 'utc'
      ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCDay()]
      : [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay()];
  return weeksOfDays([year, month], day - ((weekday + 6) % 7), count, zone);
}

/** Time range of an item, such as an occurrence of a window. */
export type CalendarSpan<Of> = TimeRange & { of: Of };

/** Bar in a week: a time range, or several on one day. */
export type Bar<Of> = CalendarSpan<Of> & {
  /** First day, from 0 for Monday. */
  column: number;
  columns: number;
  /** Lane from 0: overlapping bars are in different lanes. */
  lane: number;
  /** Whether it begins before the week. */
  isContinued: boolean;
  /** Number of time ranges that the bar joins. */
  times: number;
};

/** Returns the bars of a week, sorted by start. */
export function barsOf<Of>(week: readonly Day[], spans: readonly CalendarSpan<Of>[]): Bar<Of>[] {
  const [begin, end] = [week[0]!.from, week.at(-1)!.to];
  const dayAt = (at: number) => week.findLastIndex(({ from }) => from <= at);
  const bars: Omit<Bar<Of>, 'lane'>[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    if (span.to <= begin || span.from >= end) continue;
    const column = Math.max(0, dayAt(span.from));
    const columns = dayAt(Math.min(span.to, end) - 1) - column + 1;
    const same = bars.findLast(({ of }) => of === span.of);
    if (same && columns === 1 && same.columns === 1 && same.column === column) {
      same.times++;
      same.to = span.to;
    } else bars.push({ ...span, column, columns, isContinued: span.from < begin, times: 1 });
  }
  return inLanes(bars);
}

function inLanes<Of>(bars: readonly Omit<Bar<Of>, 'lane'>[]): Bar<Of>[] {
  const free: number[] = [];
  return bars.map((bar) => {
    const found = free.findIndex((column) => column <= bar.column);
    const lane = found < 0 ? free.length : found;
    free[lane] = bar.column + bar.columns;
    return { ...bar, lane };
  });
}
