import type { CheckState } from '#lib/catalog/states.ts';
import type { AnnouncedState, CheckItem } from '#lib/checks/check-item.ts';
import { isSilenced, type Policy, shown } from '#lib/checks/policy-item.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { announcedState } from './announced.ts';
import type { SkipReason, TransitionCause } from './transition-record.ts';

type DecidedChange = { cause: TransitionCause; from: CheckState; to: CheckState /** Epoch ms. */; at: number };

/**
 * How urgent an alert is. A warning is between up and degraded: it waits for the cooldown of any alert, and starts one
 * that holds back warnings alone.
 */
export type Urgency = 'page' | 'warning';

/** Of an alert that tells of a change between what channels are to believe before and after. */
export function urgencyOf(from: AnnouncedState, to: AnnouncedState): Urgency {
  const both = [from, to];
  return both.includes('degraded') && !both.includes('down') ? 'warning' : 'page';
}

/** When the cooldown ends that runs at `now` (epoch ms); a time before that when none does. */
export function cooldownEnd(
  { last_planned_at = 0, last_warned_at = 0 }: CheckItem['alerts'],
  { cooldown_seconds }: Pick<Policy, 'cooldown_seconds'>,
  urgency: Urgency,
  now: number,
): number {
  const page = pastOrZero(last_planned_at, now);
  const last = urgency === 'page' ? page : Math.max(page, pastOrZero(last_warned_at, now));
  return last + cooldown_seconds * 1000;
}

/** The cooldown that an alert starts at `at` (epoch ms). */
export const startCooldown = (urgency: Urgency, at: number): CheckItem['alerts'] =>
  urgency === 'page' ? { last_planned_at: at } : { last_warned_at: at };

/**
 * Whether a transition is announced to the check's channels: null when it is, else the first reason that holds, in the
 * order of docs/CONTRACT.md#alerts. Alerts follow the check: a recovery is its own change to what counts as up.
 * @param alerts with this change counted (flapping.ts)
 */
export function whySkipped(
  change: DecidedChange,
  alerts: CheckItem['alerts'],
  policy: Pick<Policy, 'silenced' | 'notify_on_recovery' | 'notify_on_degraded' | 'cooldown_seconds'> & {
    /** Those that apply to what it announces. */
    channels: readonly unknown[];
  },
): SkipReason | null {
  const [from, to] = [shown(change.from, policy), shown(change.to, policy)];
  if (change.cause !== 'result' && change.cause !== 'silence') return 'configuration';
  if (isSilenced(policy)) return 'silenced';
  if (from === 'unknown' && to === 'up' && announcedState(alerts) === 'up') return 'initial';
  if (from === to) return 'degraded_off';
  if (to === 'up' && !policy.notify_on_recovery) return 'recovery_off';
  if (alerts.flapping?.told) return 'flapping';
  if (change.at < cooldownEnd(alerts, policy, urgencyOf(from, to), change.at)) return 'cooldown';
  return policy.channels.length === 0 ? 'no_channels' : null;
}
