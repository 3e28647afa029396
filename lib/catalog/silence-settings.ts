import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import { Instant } from '#lib/platform/instant.ts';
import { line } from '#lib/platform/text.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

const MAX_AHEAD_MS = 30 * DAY_MS;

/** Stored silence of a check or entity; without an end (ISO 8601) it lasts until it is removed. */
export type SilenceSettings = { silenced?: boolean; silenced_until?: string; silence_reason?: string };

export const SilenceReason = line(0, 500);

const MEANINGS = {
  silenced: 'Whether all alerts are suppressed. Default: false.',
  silenced_until: 'End of the silence, at most 30 days ahead; null: until it is removed.',
  silence_reason: 'Human-readable reason for the silence.',
};

/** Silence properties of a request; omitted ones do not change. */
export const SilenceChanges = {
  silenced: z.boolean().describe(MEANINGS.silenced).exactOptional(),
  silenced_until: Instant.nullable().describe(MEANINGS.silenced_until).exactOptional(),
  silence_reason: SilenceReason.describe(MEANINGS.silence_reason).exactOptional(),
};
type SilenceChanges = { [member in keyof typeof SilenceChanges]?: z.output<(typeof SilenceChanges)[member]> };

export const SilenceProperties = {
  silenced: z.boolean().describe(MEANINGS.silenced),
  silenced_until: z.iso.datetime().nullable().describe(MEANINGS.silenced_until),
  silence_reason: z.string().describe(MEANINGS.silence_reason),
};

const silenceEnd = ({ silenced_until }: SilenceSettings): number =>
  silenced_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(silenced_until);

/** Whether the check or entity is silenced at `now` (epoch ms). */
export const isSilencedAt = (settings: SilenceSettings, now: number): boolean =>
  settings.silenced === true && silenceEnd(settings) > now;

/** Returns the silence properties of a record; an expired silence is not shown. */
export const silenceSettingsView = (settings: SilenceSettings, now: number) =>
  isSilencedAt(settings, now)
    ? { silenced: true, silenced_until: settings.silenced_until ?? null, silence_reason: settings.silence_reason ?? '' }
    : { silenced: false, silenced_until: null, silence_reason: '' };

/** Applies changes to a silence; a new end also starts one. Throws VALIDATION_ERROR for an end out of range. Pure. */
function changedSilence(stored: SilenceSettings, changes: SilenceChanges, now: number): SilenceSettings {
  const present = silenceSettingsView(stored, now);
  const until = changes.silenced_until;
  const end = until === undefined ? present.silenced_until : until === null ? null : iso(until);
  const isNew = end !== null && end !== present.silenced_until;
  if (isNew) assertSilenceEnd('silenced_until', Date.parse(end), now);
  const silenced = changes.silenced ?? (present.silenced || isNew);
  const reason = changes.silence_reason ?? present.silence_reason;
  if (!silenced) {
    if (isNew) throw invalid('silenced_until', 'requires silenced: true');
    if (changes.silence_reason) throw invalid('silence_reason', 'requires a silence; send silenced: true');
    return {};
  }
  return { silenced, ...(end !== null && { silenced_until: end }), ...(reason !== '' && { silence_reason: reason }) };
}

/** Throws VALIDATION_ERROR for an end (epoch ms) in the past or too far ahead. */
export function assertSilenceEnd(member: string, until: number, now: number): void {
  if (until <= now) throw invalid(member, `must be in the future; now is ${iso(now)}`);
  if (until > now + MAX_AHEAD_MS) throw invalid(member, `must be at most 30 days ahead: ${iso(now + MAX_AHEAD_MS)}`);
}

/** Applies changes to the silence of a record; returns the same record if nothing visible changes. Pure. */
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

/** Whether a current silence ends earlier than before, so that suppressed alerts may be due. */
export const endsSooner = (before: SilenceSettings, after: SilenceSettings, now: number): boolean =>
  isSilencedAt(before, now) && (!after.silenced || silenceEnd(after) < silenceEnd(before));
