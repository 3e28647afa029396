/** Due times of one line of a schedule, in wall time of its zone. All lists ascend. */
export type ScheduleLine = {
  zone: string;
  years?: readonly number[];
  months: readonly number[];
  /** Whether it is due on a day of these months, given as midnight UTC of its date. */
  isDay(date: Date): boolean;
  hours: readonly number[];
  minutes: readonly number[];
  seconds: readonly number[];
  /** Times that clocks skip when set forward: due at the change, or not due. */
  skipped: 'due at the change' | 'not due';
  /** Times that clocks show twice when set back. */
  repeated: 'due at the first' | 'due at both';
};

/** Schedule that is not valid or never due. The message, appended to the name of the property, says what to change. */
export class CalendarError extends Error {}
