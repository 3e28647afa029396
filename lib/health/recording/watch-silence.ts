import type { CheckItem } from '#lib/checks/check-item.ts';
import { silenceDeadline } from '#lib/health/silence/deadline.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';
import { remembered } from './newest-received.ts';

/**
 * The deadline that a sign of life brings; undefined where the one that stands is early enough, as the detection moves
 * on what comes too early. A start may bring it forward, and so may an end, as it is late no more than others.
 * @param before the check as it was
 * @param after what the sign of life leaves on it
 * @param now epoch ms
 */
export function watchSilence(
  keys: Keys,
  before: CheckItem,
  after: Required<Pick<CheckItem, 'last_received' | 'runs'>>,
  token: string,
  now: number,
): { write: Write; due: DueDeadline } | undefined {
  const { silence_at: _over, ...rest } = before;
  const old = silenceDeadline(before, heardOf(before, now), now);
  const next = silenceDeadline({ ...rest, ...after }, heardOf({ ...rest, ...after }, now), now);
  if (!next || (old && old.at <= next.at)) return undefined;
  const { tenant_id, entity_id, id: check_id } = before;
  return {
    write: { put: deadlineEntry(keys, 'silence', before, token, next.at) },
    due: { kind: 'silence', tenant_id, entity_id, check_id, at: next.at },
  };
}

const heardOf = (check: CheckItem, now: number) => ({ last: remembered(check, now)?.received_at, watchedSince: 0 });

/** Whether a silence was found that there was not, had this push (epoch ms of its arrival) been seen. */
export function isOverlooked(check: CheckItem, received_at: number, now: number): boolean {
  const { silence_at, runs: _none, ...rest } = check;
  if (silence_at === undefined) return false;
  const deadline = silenceDeadline(rest, { last: received_at, watchedSince: 0 }, now);
  return deadline === undefined || silence_at < deadline.at;
}
