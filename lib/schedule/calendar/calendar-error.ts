/** A schedule that is not understood or can never be due. The message says what to change, and begins after its name. */
export class CalendarError extends Error {}
