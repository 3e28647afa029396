import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { isSilenced, type PolicyItem } from '#lib/checks/policy-item.ts';
import { believed } from '#lib/platform/time.ts';
import { announcedState } from './announced.ts';
import type { SkipReason, TransitionCause } from './transition-record.ts';

type DecidedChange = { cause: TransitionCause; from: CheckState; to: CheckState /** Epoch ms. */; at: number };

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
  const last = alerts.last_planned_at;
  if (last !== undefined && change.at < believed(last, change.at) + policy.cooldown_seconds * 1000) return 'cooldown';
  return policy.channels.length === 0 ? 'no_channels' : null;
}
