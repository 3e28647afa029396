import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import { Instant } from '#lib/platform/instant.ts';
import { line } from '#lib/platform/text.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

/** The longest that a silence lasts that has an end, ms. */
const MAX_MS = 30 * DAY_MS;

/** A silence of a check or entity as stored: until then (ISO 8601), or until it is lifted. */
export type SilenceSettings = { silenced?: boolean; silenced_until?: string; silence_reason?: string };

export const SilenceReason = line(0, 500);

const MEANINGS = {
  silenced: 'Whether all alerts are held back. Default false.',
  silenced_until: 'When the silence ends by itself, at most 30 days from now; null: when it is lifted.',
  silence_reason: 'Why it is silenced, for people.',
};

/** Of a request; each may be left out and then keeps its value. */
export const SilenceChanges = {
  silenced: z.boolean().describe(MEANINGS.silenced).exactOptional(),
  silenced_until: Instant.nullable().describe(MEANINGS.silenced_until).exactOptional(),
  silence_reason: SilenceReason.describe(MEANINGS.silence_reason).exactOptional(),
};
type SilenceChanges = { [member in keyof typeof SilenceChanges]?: z.output<(typeof SilenceChanges)[member]> };

/** Of a record. */
export const SilenceMembers = {
  silenced: z.boolean().describe(MEANINGS.silenced),
  silenced_until: z.iso.datetime().nullable().describe(MEANINGS.silenced_until),
  silence_reason: z.string().describe(MEANINGS.silence_reason),
};

/** Epoch ms at which a silence ends; without one it has no end. */
const silenceEnd = ({ silenced_until }: SilenceSettings): number =>
  silenced_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(silenced_until);

/** Whether it is silenced at `now` (epoch ms). */
export const isSilencedAt = (one: SilenceSettings, now: number): boolean =>
  one.silenced === true && silenceEnd(one) > now;

/** As a record shows it: a silence that is over is none. */
export const silenceSettingsView = (one: SilenceSettings, now: number) =>
  isSilencedAt(one, now)
    ? { silenced: true, silenced_until: one.silenced_until ?? null, silence_reason: one.silence_reason ?? '' }
    : { silenced: false, silenced_until: null, silence_reason: '' };

/**
 * Pure: a silence with changes laid over it; an end silences, and what is lifted has neither end nor reason.
 * @throws AppError VALIDATION_ERROR for an end that has passed, lies too far ahead, or belongs to no silence
 */
function changedSilence(stored: SilenceSettings, changes: SilenceChanges, now: number): SilenceSettings {
  const present = silenceSettingsView(stored, now);
  const until = changes.silenced_until;
  const end = until === undefined ? present.silenced_until : until === null ? null : iso(until);
  const isNew = end !== null && end !== present.silenced_until;
  if (isNew) assertSilenceEnd('silenced_until', Date.parse(end), now);
  const silenced = changes.silenced ?? (present.silenced || isNew);
  const reason = changes.silence_reason ?? present.silence_reason;
  if (!silenced) {
    if (isNew) throw invalid('silenced_until', 'is the end of a silence, but silenced is false');
    if (changes.silence_reason) throw invalid('silence_reason', 'is of a silence; send silenced: true along');
    return {};
  }
  return { silenced, ...(end !== null && { silenced_until: end }), ...(reason !== '' && { silence_reason: reason }) };
}

/** @param until epoch ms @throws AppError VALIDATION_ERROR */
export function assertSilenceEnd(member: string, until: number, now: number): void {
  if (until <= now) throw invalid(member, `must lie ahead; it is ${iso(now)} now`);
  if (until > now + MAX_MS) throw invalid(member, `must be at most 30 days ahead: ${iso(now + MAX_MS)}`);
}

/** Pure: a record with changes of its silence; as it is where nothing that shows has changed. Throws as above. */
export function withSilence<Record extends SilenceSettings>(
  record: Record,
  changes: SilenceChanges,
  now: number,
): Record {
  const next = changedSilence(record, changes, now);
  if (isDeepStrictEqual(silenceSettingsView(record, now), silenceSettingsView(next, now))) return record;
  const { silenced: _s, silenced_until: _u, silence_reason: _r, ...rest } = record;
  return { ...rest, ...next } as Record;
}

/** Whether a silence that held at `now` ends before it would have: then what it held back may be due. */
export const endsSooner = (before: SilenceSettings, after: SilenceSettings, now: number): boolean =>
  isSilencedAt(before, now) && (!after.silenced || silenceEnd(after) < silenceEnd(before));
