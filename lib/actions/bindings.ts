import { type CheckItem, nextCheck, type RemediationSetting, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { actionEntry } from '#lib/schedule/entries.ts';
import { scheduledRuns } from '#lib/schedule/jobs.ts';
import { type IntervalSchedule, intervalScheduleOf, slotsBetween } from '#lib/schedule/slots.ts';
import { writerSendsUntil } from '#lib/schedule/watermark.ts';
import type { ActionItem, BoundActionItem } from './action-item.ts';

/** The check whose transitions fire an action. */
export const checkOf = (action: ActionItem | undefined): string | undefined =>
  (action?.trigger_type === 'state_change' && action.check_id) || undefined;

/** The rhythm in which an action runs. */
export const rhythmOfAction = (action: ActionItem | undefined): IntervalSchedule | undefined =>
  action?.trigger_type === 'schedule' && action.interval_seconds !== null
    ? intervalScheduleOf(action.id, action.interval_seconds)
    : undefined;

/**
 * The writes that let an action's trigger find it: a pointer under its check, or an entry in the schedule; none of an
 * action that is gone. As with checks, the first runs of a new rhythm are sent here, before the action is written.
 */
export async function bind(env: Env, next: ActionItem | undefined, before?: ActionItem): Promise<Write[]> {
  return [
    ...boundWrites(env.keys, next, before),
    ...unguarded(env.keys, next, before),
    ...(await entryWrites(env, next, before)),
  ];
}

function boundWrites(keys: Keys, next: ActionItem | undefined, before?: ActionItem): Write[] {
  const [old, check] = [checkOf(before), checkOf(next)];
  const writes: Write[] = [];
  if (before && old !== undefined && old !== check) {
    writes.push({ delete: keys.boundAction(before.tenant_id, old, before.id) });
  }
  if (next && check !== undefined) {
    const put: BoundActionItem = {
      ...keys.boundAction(next.tenant_id, check, next.id),
      action_id: next.id,
      trigger_to_state: next.trigger_to_state,
      created_at: next.created_at,
    };
    writes.push({ put });
  }
  return writes;
}

/** With its action goes the deadline of its attempts. What one of them has taken, it keeps until that expires. */
const unguarded = (keys: Keys, next: ActionItem | undefined, before?: ActionItem): Write[] =>
  before?.remediation && !next ? [{ delete: keys.entry('remediation', before.tenant_id, before.id) }] : [];

async function entryWrites(env: Env, next: ActionItem | undefined, before?: ActionItem): Promise<Write[]> {
  const { ports, keys } = env;
  const [old, rhythm] = [rhythmOfAction(before), rhythmOfAction(next)];
  if (before && old && !rhythm) return [{ delete: keys.entry('action', before.tenant_id, before.id) }];
  if (!next || !rhythm || old?.interval_ms === rhythm.interval_ms) return [];
  const owner = { tenant_id: next.tenant_id, entity_id: next.id, id: next.id };
  const until = await writerSendsUntil(env, keys.shardOf(owner.id));
  const ahead = slotsBetween(rhythm, ports.clock.now(), until);
  if (ahead.length > 0) await ports.queues.send('action', scheduledRuns(owner, ahead));
  return [{ put: actionEntry(keys, owner, ports.ids.token(), rhythm, until) }];
}

/** What the alert of its check waits for; undefined of an action that no alert waits for. */
function repairBy(action: ActionItem | undefined): RemediationSetting | undefined {
  const { remediation, trigger_to_state: state } = action ?? {};
  if (!remediation?.alert_after_remediation || (state !== 'down' && state !== 'degraded')) return undefined;
  return { state, settle_seconds: remediation.settle_seconds };
}

/**
 * The writes by which checks know whether their alert waits for an action: whoever decides on an alert reads the check
 * anyway. None where nothing of that changes, or the check is gone.
 */
export async function remediationSettingsWrites(
  env: Env,
  next: ActionItem | undefined,
  before?: ActionItem,
): Promise<Write[]> {
  const places = new Map<string, { action: ActionItem; repair: RemediationSetting | undefined }>();
  for (const [action, repair] of [
    [before, undefined],
    [next, repairBy(next)],
  ] as const) {
    const check = checkOf(action);
    if (action && check && (repairBy(before) ?? repair)) places.set(check, { action, repair });
  }
  const writes = await Promise.all([...places].map(([check, of]) => repairWrite(env, check, of)));
  return writes.flat();
}

async function repairWrite(
  { ports, keys }: Env,
  id: string,
  { action, repair }: { action: ActionItem; repair: RemediationSetting | undefined },
): Promise<Write[]> {
  const check = await ports.table.get<CheckItem>(keys.check(action.tenant_id, id));
  if (!check) return [];
  const { [action.id]: was, ...others } = check.repairs ?? {};
  if (was?.state === repair?.state && was?.settle_seconds === repair?.settle_seconds) return [];
  const repairs = { ...others, ...(repair && { [action.id]: repair }) };
  const isEmpty = Object.keys(repairs).length === 0;
  return [replaceCheck(check, nextCheck(check, ports.ids.token(), { repairs }, isEmpty ? ['repairs'] : []))];
}
