/** A schedule that is not understood or can never be due. The message says what to change, behind its name. */
export class CalendarError extends Error {}
