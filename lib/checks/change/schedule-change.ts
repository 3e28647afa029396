import type { CheckItem } from '#lib/checks/check-item.ts';
import { heartbeatDeadline, storedLastReceived } from '#lib/checks/heartbeat.ts';
import { isProbed } from '#lib/checks/settings/cells.ts';
import type { Env } from '#lib/env.ts';
import { cellOf } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { RECLAIM_AFTER_MS } from '#lib/platform/table/reclaim.ts';
import {
  type CellInterval,
  deadlineEntry,
  dueDeadline,
  type ProbeEntry,
  probeEntry,
  probeEntryId,
} from '#lib/schedule/entries.ts';
import { cellJobs, packJobs, sendDeadlines, sendProbe } from '#lib/schedule/jobs.ts';
import { intervalScheduleOf, latestSlot, slotsBetween } from '#lib/schedule/slots.ts';
import { writerSendsUntil } from '#lib/schedule/watermark.ts';

/** The schedule's part of a change of settings: writes for its transaction, and what to send once that is done. */
type ScheduleChange = { writes: Write[]; start: () => Promise<void> };

/**
 * Puts a check's timers in order after a change of its settings. The jobs of an interval that is new to its cell, up to
 * where the generator takes over, are sent before the change is written: should the change fail, no check is due at
 * them; sent after it, a crash could lose them. So is the message that has an interval looked at that a check leaves.
 * @param before the check as it was; undefined when it is new
 */
export async function scheduleChange(env: Env, check: CheckItem, before?: CheckItem): Promise<ScheduleChange> {
  const { ports, keys } = env;
  const { tenant_id, id } = check;
  if (before && isProbed(before, before.interval_seconds) && !isProbed(check, before.interval_seconds)) {
    const body = { tenant_id, cell: cellOf(id) };
    await ports.queues.send('reclaim', [{ body, not_before: ports.clock.now() + RECLAIM_AFTER_MS, group: tenant_id }]);
  }
  if (!check.enabled) {
    const writes = before ? [{ delete: keys.entry('missed_heartbeat', tenant_id, id) }] : [];
    return { writes, start: async () => {} };
  }
  return check.execution_mode === 'push' ? pushSchedule(env, check, before) : pullSchedule(env, check, before);
}

async function pullSchedule(env: Env, check: CheckItem, before?: CheckItem): Promise<ScheduleChange> {
  const cell = cellOf(check.id);
  const { tenant_id, interval_seconds } = check;
  const isNew = !before || !isProbed(before, interval_seconds);
  const writes = isNew ? [await joinRhythm(env, { tenant_id, cell, interval_seconds })] : [];
  return { writes, start: () => probeAtOnce(env, check) };
}

/** What is due within this time (ms) comes soon enough. */
const AT_ONCE_MS = 250;

/**
 * Sends the probe of a change that is written: only then a slot finds it by itself, and one that was due meanwhile has
 * not. It takes the place of the latest past slot, so that the rhythm stays.
 */
async function probeAtOnce(env: Env, check: CheckItem): Promise<void> {
  const now = env.ports.clock.now();
  const slot = latestSlot(intervalScheduleOf(cellOf(check.id), check.interval_seconds), now);
  // It would be late before it has begun, and the slot that makes it so does the same.
  if (slot + check.interval_seconds * 1000 - now < AT_ONCE_MS) return;
  await sendProbe(env, check, slot);
}

/** The write by which one more check of a cell has this interval. */
async function joinRhythm(env: Env, own: CellInterval): Promise<Write> {
  const { ports, keys } = env;
  const { tenant_id, cell, interval_seconds } = own;
  const key = keys.entry('probe', tenant_id, probeEntryId(cell, interval_seconds));
  const present = await ports.table.get<ProbeEntry>(key);
  if (present) {
    const put: ProbeEntry = { ...present, v: ports.ids.token(), checks: present.checks + 1 };
    return { put, if: { version: present.v } };
  }
  const until = await writerSendsUntil(env, keys.shardOf(cell));
  const slots = slotsBetween(intervalScheduleOf(cell, interval_seconds), ports.clock.now(), until);
  const ahead = packJobs(cellJobs({ ...own, checks: 1 }, slots), ports.settings.JOB_GROUP_MS);
  if (ahead.length > 0) await ports.queues.send('job', ahead);
  return { put: probeEntry(keys, own, ports.ids.token(), { from: until, checks: 1 }), if: 'absent' };
}

/** Silence counts anew from a change of settings. */
async function pushSchedule(env: Env, check: CheckItem, before?: CheckItem): Promise<ScheduleChange> {
  const { ports, keys } = env;
  const { tenant_id, id: check_id } = check;
  const now = ports.clock.now();
  const deadline = heartbeatDeadline(
    check,
    { last: storedLastReceived(check, now)?.received_at, watchedSince: 0 },
    now,
  );
  if (!deadline) {
    const writes = before ? [{ delete: keys.entry('missed_heartbeat', tenant_id, check_id) }] : [];
    return { writes, start: async () => {} };
  }
  const { at } = deadline;
  return {
    writes: [{ put: deadlineEntry(keys, 'missed_heartbeat', check, ports.ids.token(), at) }],
    start: async () => sendDeadlines(env, [dueDeadline('missed_heartbeat', check, at)]),
  };
}
