import { announcementOf } from '#lib/health/state/announced.ts';
import { iso } from '#lib/platform/time.ts';
import type { Rule } from './rule.ts';
import { isHeard, isUnknownTrouble, type Situation } from './situation.ts';

/**
 * Nobody is woken by planned work: what a check tells in a maintenance window is held until that is over, and then
 * decided by its own first result. A recovery is told at once if the failure was; else there is nothing to tell of.
 */
export const maintenance: Rule = {
  name: 'maintenance',
  kinds: ['state_change', 'repeat', 'catch_up', 'escalation', 'impact', 'acknowledged', 'remediation_failed'],
  judge(situation) {
    const { window, held } = situation;
    const pending = held?.reason === 'maintenance' ? held : undefined;
    const until = window?.until ?? pending?.until;
    return {
      stops: isHeard(situation) && (window !== undefined || pending !== undefined) && isQuiet(situation),
      holds: isUnknownTrouble(situation),
      facts: {
        window_id: window?.id ?? null,
        window_until: window ? iso(window.until) : null,
        ...(pending && { held_until: iso(pending.until) }),
      },
      ...(until !== undefined && { until }),
    };
  },
};

/** Whether this is held back by a window that is open, or by an alert that waits for its end to be judged. */
function isQuiet({ kind, to, told, policy, window }: Situation): boolean {
  if (kind === 'repeat' || kind === 'escalation' || kind === 'acknowledged') return true;
  if (announcementOf(to, policy) === 'up') return kind === 'state_change' && told === 'up';
  return kind === 'catch_up' || window !== undefined;
}
