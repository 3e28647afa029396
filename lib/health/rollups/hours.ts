import { ROLLUP_DELAY_MS } from '#lib/schedule/slots.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Epoch ms at which the hour, or the UTC day, of an instant begins. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** Whether an hour may be rolled up by now: what comes later makes it anew. */
export const isClosed = (hour: number, now: number): boolean => hour + HOUR_MS + ROLLUP_DELAY_MS <= now;
