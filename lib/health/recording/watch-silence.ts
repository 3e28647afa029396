import type { CheckItem } from '#lib/checks/check-item.ts';
import { silenceDeadline } from '#lib/checks/heartbeat.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { remembered } from '#lib/results/pushes/newest-received.ts';
import { type DeadlineEntry, dueDeadline } from '#lib/schedule/deadlines.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';

/** So soon (ms) it is written, or never: a client of the table gives up after 9 s, and our clocks differ a little. */
const COMMITTED_MS = 15_000;

/**
 * The deadline that a sign of life brings; undefined where the one that stands is early enough, as the detection moves
 * on what comes too early. It is brought forward by the first sign of life, by one that ends a silence, and by starts
 * and ends of runs. No other has the one that stands read.
 * @param before the check as it was
 * @param after what the sign of life leaves on it
 * @param now epoch ms
 */
export async function watchSilence(
  { ports, keys }: Env,
  before: CheckItem,
  after: Required<Pick<CheckItem, 'last_received' | 'runs'>>,
  now: number,
): Promise<{ write: Write; due: DueDeadline } | undefined> {
  const { silence_at, runs = [], ...rest } = before;
  const { tenant_id, id: check_id } = before;
  const isRunning = runs.length > 0 || after.runs.length > 0;
  if (!isRunning && before.last_received && silence_at === undefined) return undefined;
  const check = { ...rest, ...after };
  const next = silenceDeadline(check, heardOf(check, now), now);
  if (!next) return undefined;
  // Our outages have moved it where the check does not tell. One that comes before this sign of life is committed may
  // be moved by a detection that does not see it.
  const standing = await ports.table.get<DeadlineEntry>(keys.entry('silence', tenant_id, check_id));
  if (standing && standing.deadline > now + COMMITTED_MS && standing.deadline <= next.at) return undefined;
  return {
    write: { put: deadlineEntry(keys, 'silence', before, ports.ids.token(), next.at) },
    due: dueDeadline('silence', before, next.at),
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
