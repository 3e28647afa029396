import type { Action } from '#console/api/records.ts';
import { duration } from './time.ts';

type Trigger = Pick<Action, 'trigger_type' | 'trigger_to_state' | 'interval_seconds'>;

/** Describes the trigger of an action: `on a transition to down`, `every 5 min`, `manual`. */
export function triggerText({ trigger_type, trigger_to_state, interval_seconds }: Trigger): string {
  if (trigger_type === 'state_change') return `on a transition${trigger_to_state && ` to ${trigger_to_state}`}`;
  if (trigger_type === 'schedule') return `every ${duration((interval_seconds ?? 0) * 1000)}`;
  return 'manual';
}

/** Describes the attempts of a remediation: `up to 3 attempts, 10 min apart, until the check recovers`. */
export function remediationText({ max_attempts, cooldown_seconds }: NonNullable<Action['remediation']>): string {
  if (max_attempts === 1) return 'one attempt, verified by the check';
  return `up to ${max_attempts} attempts, ${duration(cooldown_seconds * 1000)} apart, until the check recovers`;
}

export const STARTED_BY: Readonly<Record<Action['trigger_type'], string>> = {
  manual: 'manually',
  state_change: 'by a transition',
  schedule: 'by its schedule',
};

/** Whether a transition of this check can start the action. */
export const canStart = (
  { trigger_type, check_id }: Pick<Action, 'trigger_type' | 'check_id'>,
  check: string,
): boolean => trigger_type === 'state_change' && check_id === check;
