import { clockTime } from '#lib/channels/message-facts.ts';
import { iso } from '#lib/platform/time.ts';
import type { RuleFacts } from './transition.ts';

type Fact = RuleFacts[string] | undefined;

/** Formats a time: `2026-11-21 10:04:10 UTC`. @param time epoch ms, or ISO 8601 */
export const timeText = (time: Fact): string => clockTime(typeof time === 'number' ? iso(time) : String(time));

/** Formats a count: `1 channel`, `2 channels`. */
export const counted = (count: Fact, one: string): string =>
  `${count} ${one}${count === 1 ? '' : one.endsWith('s') ? 'es' : 's'}`;
