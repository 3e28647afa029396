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

type ScheduleChange = { writes: Write[]; start: () => Promise<void> };

/**
 * Returns the writes that update the schedule of a check after a settings change. Jobs of an interval new to the cell,
 * and the message that recounts an abandoned one, are sent before the commit, because a crash after it would lose them.
 * If the commit fails, the jobs find no due check. @param before the previous check; undefined for a new one
 */
export async function scheduleChange(env: Env, check: CheckItem, before?: CheckItem): Promise<ScheduleChange> {
  const { ports, keys } = env;
  const { tenant_id, id } = check;
  if (before && isProbed(before, before.interval_seconds) && !isProbed(check, before.interval_seconds)) {
    const body = { tenant_id, left_cell: cellOf(id) };
    await ports.queues.send('housekeeping', [
      { body, not_before: ports.clock.now() + RECLAIM_AFTER_MS, group: tenant_id },
    ]);
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
  const writes = isNew ? [await joinIntervalSchedule(env, { tenant_id, cell, interval_seconds })] : [];
  return { writes, start: () => probeImmediately(env, check) };
}

/** A slot within this time (ms) makes an immediate probe unnecessary. */
const IMMEDIATE_MS = 250;

/** Sends a probe after the commit, with the latest past slot, so that the interval schedule stays. */
async function probeImmediately(env: Env, check: CheckItem): Promise<void> {
  const now = env.ports.clock.now();
  const slot = latestSlot(intervalScheduleOf(cellOf(check.id), check.interval_seconds), now);
  // The job could arrive late and be skipped, and the next slot probes the check anyway.
  if (slot + check.interval_seconds * 1000 - now < IMMEDIATE_MS) return;
  await sendProbe(env, check, slot);
}

async function joinIntervalSchedule(env: Env, schedule: CellInterval): Promise<Write> {
  const { ports, keys } = env;
  const { tenant_id, cell, interval_seconds } = schedule;
  const key = keys.entry('probe', tenant_id, probeEntryId(cell, interval_seconds));
  const present = await ports.table.get<ProbeEntry>(key);
  if (present) {
    const put: ProbeEntry = { ...present, v: ports.ids.token(), checks: present.checks + 1 };
    return { put, if: { version: present.v } };
  }
  const until = await writerSendsUntil(env, keys.shardOf(cell));
  const slots = slotsBetween(intervalScheduleOf(cell, interval_seconds), ports.clock.now(), until);
  const messages = packJobs(cellJobs({ ...schedule, checks: 1 }, slots), ports.settings.JOB_GROUP_MS);
  if (messages.length > 0) await ports.queues.send('job', messages);
  return { put: probeEntry(keys, schedule, ports.ids.token(), { from: until, checks: 1 }), if: 'absent' };
}

/** Returns the schedule of a push check. A settings change restarts its heartbeat deadline. */
async function pushSchedule(env: Env, check: CheckItem, before?: CheckItem): Promise<ScheduleChange> {
  const { ports, keys } = env;
  const { tenant_id, id: check_id } = check;
  const now = ports.clock.now();
  const deadline = heartbeatDeadline(
    check,
    { last: storedLastReceived(check, now)?.received_at, monitoredSince: 0 },
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
