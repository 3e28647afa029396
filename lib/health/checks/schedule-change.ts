import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Job, MessageTo } from '#lib/messages.ts';
import type { Ports, Write } from '#lib/platform/ports.ts';
import { deadlineEntry, rhythmEntry } from '#lib/schedule/entries.ts';
import { packJobs, sendDeadlines } from '#lib/schedule/jobs.ts';
import { latestSlot, type Rhythm, rhythmOf, slotsBetween } from '#lib/schedule/slots.ts';
import { writerSendsUntil } from '#lib/schedule/watermark.ts';
import { graceMs } from './grace.ts';

/** The schedule's part of a change of settings: writes for its transaction, and what to send once that is done. */
type ScheduleChange = { writes: Write[]; start: () => Promise<void> };

/**
 * Puts a check's timers in order after a change of its settings. The jobs of a new rhythm, up to where the generator
 * takes over, are sent before the change is written: should the change fail, they are no slots of the present settings
 * and are dropped; sent after it, a crash could lose them.
 * @param before the check as it was; undefined when it is new
 */
export async function scheduleChange(env: Env, check: CheckItem, before?: CheckItem): Promise<ScheduleChange> {
  const { keys } = env;
  const { tenant_id, entity_id, id } = check;
  if (!check.enabled) {
    const writes = before
      ? [
          { delete: keys.entry('probe', tenant_id, entity_id, id) },
          { delete: keys.entry('silence', tenant_id, entity_id, id) },
        ]
      : [];
    return { writes, start: async () => {} };
  }
  return check.execution_mode === 'push' ? pushSchedule(env, check) : pullSchedule(env, check, before);
}

async function pullSchedule(env: Env, check: CheckItem, before?: CheckItem): Promise<ScheduleChange> {
  const { ports, keys } = env;
  const rhythm = rhythmOf(check.id, check.interval_seconds);
  const writes: Write[] = [];
  if (!before?.enabled || before.interval_seconds !== check.interval_seconds) {
    const until = await writerSendsUntil(env, keys.shardOf(check.entity_id));
    const ahead = slotsBetween(rhythm, ports.clock.now(), until);
    if (ahead.length > 0) await ports.queues.send('job', messagesOf(ports, check, ahead));
    writes.push({ put: rhythmEntry(keys, 'probe', check, ports.ids.token(), rhythm, until) });
  }
  return { writes, start: () => ports.queues.send('job', probeNow(ports, check, rhythm)) };
}

/** A probe at once; it takes the place of the latest past slot, so that the rhythm stays. */
const probeNow = (ports: Ports, check: CheckItem, rhythm: Rhythm): MessageTo<'job'>[] =>
  messagesOf(ports, check, [latestSlot(rhythm, ports.clock.now())]).map(({ not_before: _now, ...message }) => message);

function messagesOf(ports: Ports, { tenant_id, entity_id, id }: CheckItem, slots: number[]): MessageTo<'job'>[] {
  const jobs: Job[] = slots.map((slot) => ({ tenant_id, entity_id, check_id: id, slot }));
  return packJobs(jobs, ports.settings.JOB_GROUP_MS);
}

/** Silence counts anew from a change of settings, once a first push was applied. */
async function pushSchedule(env: Env, check: CheckItem): Promise<ScheduleChange> {
  const { ports, keys } = env;
  if (!check.last_received) return { writes: [], start: async () => {} };
  const { tenant_id, entity_id, id: check_id } = check;
  const at = check.settings_at + graceMs(check);
  return {
    writes: [{ put: deadlineEntry(keys, 'silence', check, ports.ids.token(), at) }],
    start: async () => sendDeadlines(env, [{ kind: 'silence', tenant_id, entity_id, check_id, at }]),
  };
}
