import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { isSilenced, type PolicyItem } from '#lib/checks/policy-item.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { announcedState } from './announced.ts';
import type { SkipReason, TransitionCause } from './transition-record.ts';

type DecidedChange = { cause: TransitionCause; from: CheckState; to: CheckState /** Epoch ms. */; at: number };

/** When the cooldown ends that runs at `now` (epoch ms); a time before that when none does. */
export const cooldownEnd = (
  { last_planned_at = 0 }: CheckItem['alerts'],
  { cooldown_seconds }: Pick<PolicyItem, 'cooldown_seconds'>,
  now: number,
): number => pastOrZero(last_planned_at, now) + cooldown_seconds * 1000;

/**
 * Whether a transition is announced to the check's channels: null when it is, else the first reason that holds, in the
 * order of docs/CONTRACT.md#alerts. Alerts follow the check, so a recovery is the check's own change to up.
 */
export function whySkipped(
  change: DecidedChange,
  alerts: CheckItem['alerts'],
  policy: Pick<PolicyItem, 'silenced' | 'notify_on_recovery' | 'cooldown_seconds' | 'channels'>,
): SkipReason | null {
  if (change.cause !== 'result' && change.cause !== 'silence') return 'configuration';
  if (isSilenced(policy)) return 'silenced';
  if (change.from === 'unknown' && change.to === 'up' && announcedState(alerts) === 'up') return 'initial';
  if (change.to === 'up' && !policy.notify_on_recovery) return 'recovery_off';
  if (change.at < cooldownEnd(alerts, policy, change.at)) return 'cooldown';
  return policy.channels.length === 0 ? 'no_channels' : null;
}
