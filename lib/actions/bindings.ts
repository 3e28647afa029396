import { type CheckItem, nextCheck, type RemediationSetting, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { actionEntry } from '#lib/schedule/entries.ts';
import { executionsDue } from '#lib/schedule/jobs.ts';
import { type IntervalSchedule, intervalScheduleOf, slotsBetween } from '#lib/schedule/slots.ts';
import { writerSendsUntil } from '#lib/schedule/watermark.ts';
import type { ActionItem, BoundActionItem } from './action-item.ts';

/** Returns the id of the check whose transitions fire an action; undefined if it has another trigger. */
export const triggerCheckId = (action: ActionItem | undefined): string | undefined =>
  (action?.trigger_type === 'state_change' && action.check_id) || undefined;

export const scheduleOfAction = (action: ActionItem | undefined): IntervalSchedule | undefined =>
  action?.trigger_type === 'schedule' && action.interval_seconds !== null
    ? intervalScheduleOf(action.id, action.interval_seconds)
    : undefined;

/** Returns the writes that bind an action to its check or schedule. Sends the first slots of a new interval. */
export async function bind(env: Env, next: ActionItem | undefined, before?: ActionItem): Promise<Write[]> {
  return [
    ...boundWrites(env.keys, next, before),
    ...remediationEntryWrites(env.keys, next, before),
    ...(await entryWrites(env, next, before)),
  ];
}

function boundWrites(keys: Keys, next: ActionItem | undefined, before?: ActionItem): Write[] {
  const [old, check] = [triggerCheckId(before), triggerCheckId(next)];
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

const remediationEntryWrites = (keys: Keys, next: ActionItem | undefined, before?: ActionItem): Write[] =>
  before && !next ? [{ delete: keys.entry('remediation', before.tenant_id, before.id) }] : [];

async function entryWrites(env: Env, next: ActionItem | undefined, before?: ActionItem): Promise<Write[]> {
  const { ports, keys } = env;
  const [old, schedule] = [scheduleOfAction(before), scheduleOfAction(next)];
  if (before && old && !schedule) return [{ delete: keys.entry('action', before.tenant_id, before.id) }];
  if (!next || !schedule || old?.interval_ms === schedule.interval_ms) return [];
  const owner = { tenant_id: next.tenant_id, entity_id: next.id, id: next.id };
  const until = await writerSendsUntil(env, keys.shardOf(owner.id));
  const ahead = slotsBetween(schedule, ports.clock.now(), until);
  if (ahead.length > 0) await ports.queues.send('action', executionsDue(owner, ahead));
  return [{ put: actionEntry(keys, owner, ports.ids.token(), schedule, until) }];
}

function alertSettingOf(action: ActionItem | undefined): RemediationSetting | undefined {
  const { remediation, trigger_to_state: state } = action ?? {};
  if (!remediation?.alert_after_remediation || (state !== 'down' && state !== 'degraded')) return undefined;
  return { state, settle_seconds: remediation.settle_seconds };
}

/** Returns the writes that copy `alert_after_remediation` of an action to its check and remove it from a former one. */
export async function remediationSettingsWrites(
  env: Env,
  next: ActionItem | undefined,
  before?: ActionItem,
): Promise<Write[]> {
  const byCheck = new Map<string, { action: ActionItem; setting: RemediationSetting | undefined }>();
  for (const [action, setting] of [
    [before, undefined],
    [next, alertSettingOf(next)],
  ] as const) {
    const check = triggerCheckId(action);
    if (action && check && (alertSettingOf(before) ?? setting)) byCheck.set(check, { action, setting });
  }
  const writes = await Promise.all([...byCheck].map(([check, of]) => settingWrite(env, check, of)));
  return writes.flat();
}

async function settingWrite(
  { ports, keys }: Env,
  id: string,
  { action, setting }: { action: ActionItem; setting: RemediationSetting | undefined },
): Promise<Write[]> {
  const check = await ports.table.get<CheckItem>(keys.check(action.tenant_id, id));
  if (!check) return [];
  const { [action.id]: was, ...others } = check.remediations ?? {};
  if (was?.state === setting?.state && was?.settle_seconds === setting?.settle_seconds) return [];
  const remediations = { ...others, ...(setting && { [action.id]: setting }) };
  const isEmpty = Object.keys(remediations).length === 0;
  return [replaceCheck(check, nextCheck(check, ports.ids.token(), { remediations }, isEmpty ? ['remediations'] : []))];
}
