import type { Action } from '#console/api/records.ts';
import { duration } from './time.ts';

type Trigger = Pick<Action, 'trigger_type' | 'trigger_to_state' | 'interval_seconds'>;

/** What starts it beside people and agents, in a few words: `on a transition to down`, `every 5 min`, `by hand`. */
export function triggerWords({ trigger_type, trigger_to_state, interval_seconds }: Trigger): string {
  if (trigger_type === 'state_change') return `on a transition${trigger_to_state && ` to ${trigger_to_state}`}`;
  if (trigger_type === 'schedule') return `every ${duration((interval_seconds ?? 0) * 1000)}`;
  return 'by hand';
}

/** How often it is tried to repair, and how long it waits in between: `up to 3 times, 10 min apart`. */
export function remediationWords({ max_attempts, cooldown_seconds }: NonNullable<Action['remediation']>): string {
  if (max_attempts === 1) return 'once, and the check says whether it helped';
  return `up to ${max_attempts} times, ${duration(cooldown_seconds * 1000)} apart, until the check says that it helped`;
}

/** What started a run. */
export const STARTED_BY: Readonly<Record<Action['trigger_type'], string>> = {
  manual: 'by hand',
  state_change: 'by a transition',
  schedule: 'by its schedule',
};

/** Whether a change of this check may start it. */
export const startsIt = (
  { trigger_type, check_id }: Pick<Action, 'trigger_type' | 'check_id'>,
  check: string,
): boolean => trigger_type === 'state_change' && check_id === check;
