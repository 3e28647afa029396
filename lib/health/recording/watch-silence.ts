import type { CheckItem } from '#lib/checks/check-item.ts';
import { graceMs } from '#lib/health/checks/grace.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';

/**
 * The deadline that a sign of life brings; undefined where the one that stands is early enough. Silence counts from the
 * first on; and anew from the one that ends a silence, whose entry waits for the next synthetic failure, which with a
 * grace shorter than the interval would be too late.
 * @param before the check as it was
 * @param receivedAt epoch ms
 */
export function watchSilence(
  keys: Keys,
  before: CheckItem,
  token: string,
  receivedAt: number,
): { write: Write; due: DueDeadline } | undefined {
  if (before.last_received !== undefined && before.silence_at === undefined) return undefined;
  const { tenant_id, entity_id, id: check_id } = before;
  const at = receivedAt + graceMs(before);
  return {
    write: { put: deadlineEntry(keys, 'silence', before, token, at) },
    due: { kind: 'silence', tenant_id, entity_id, check_id, at },
  };
}
