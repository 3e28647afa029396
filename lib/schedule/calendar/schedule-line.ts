/**
 * When one line of a schedule is due, as the clocks on the wall of its zone show it. All lists ascend.
 */
export type ScheduleLine = {
  zone: string;
  years?: readonly number[];
  /** 1 is January. */
  months: readonly number[];
  /** Whether it is due on a day of these months; the day is midnight UTC of the same date. */
  isDay(date: Date): boolean;
  hours: readonly number[];
  minutes: readonly number[];
  seconds: readonly number[];
  /** What becomes of times that clocks skip where they are set forward: due when they are set, or not at all. */
  skipped: 'due at the change' | 'not due';
  /** Times that clocks show twice where they are set back. */
  repeated: 'due at the first' | 'due at both';
};

/** A schedule that is not understood or can never be due. The message says what to change, behind its name. */
export class CalendarError extends Error {}
