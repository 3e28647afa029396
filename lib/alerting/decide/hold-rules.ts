import { shown } from '#lib/alerting/policy/policy.ts';
import { iso } from '#lib/platform/time.ts';
import { announcementOf } from './memory.ts';
import type { Rule } from './rule.ts';
import { isHeard, isUnknownTrouble, type Situation } from './situation.ts';

/**
 * The failure of what depends on others is held until it is known whether it follows from theirs: whoever was told of
 * that is not told of this as well (docs/use/dependencies.md). While it is held nobody is reminded of it, or
 * called by its escalation; and of what nobody was told, nobody is told that it is over.
 */
export const dependency: Rule = {
  name: 'dependency',
  kinds: ['state_change', 'catch_up', 'repeat', 'escalation'],
  judge(situation) {
    const { dependencies = 0, held, channels, policy } = situation;
    const is_held = held?.reason === 'dependency';
    const { hold_for_dependencies } = policy;
    const holds =
      !is_held && dependencies > 0 && hold_for_dependencies && isHeard(situation) && mayHaveCause(situation);
    const stops = holds || (is_held && channels === 0 && !isNews(situation));
    return { stops, holds, facts: { dependencies, hold_for_dependencies, is_held } };
  },
};

/** What a maintenance window holds is held by that first, and a late alert waits for what is held already. */
const mayHaveCause = ({ kind, to, window, held }: Situation): boolean =>
  (kind === 'state_change' || (kind === 'catch_up' && held === undefined)) && to === 'down' && window === undefined;

/** A change to something else than up is told to those as well who were not told of the failure. */
const isNews = ({ kind, to, policy }: Situation): boolean => kind === 'state_change' && shown(to, policy) !== 'up';

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
      stops: isHeard(situation) && (window !== undefined || pending !== undefined) && isQuietInWindow(situation),
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
function isQuietInWindow({ kind, to, told, policy, window }: Situation): boolean {
  if (kind === 'repeat' || kind === 'escalation' || kind === 'acknowledged') return true;
  if (announcementOf(to, policy) === 'up') return kind === 'state_change' && told === 'up';
  return kind === 'catch_up' || window !== undefined;
}

/**
 * Where an action is to repair a failure before anybody is told, the alert is held until its first verdict, and no
 * longer than that takes. Until then nobody is reminded or called, and of what nobody was told, nobody is told that it
 * is over.
 */
export const remediation: Rule = {
  name: 'remediation',
  kinds: ['state_change', 'repeat', 'catch_up', 'escalation'],
  judge(situation) {
    const { repair, held } = situation;
    const pending = held?.reason === 'remediation' ? held : undefined;
    const until = repair?.until ?? pending?.until;
    const holds = repair !== undefined && isUnknownTrouble(situation);
    return {
      stops: isHeard(situation) && (holds || (pending !== undefined && isQuietInRepair(situation))),
      holds,
      facts: {
        action_id: repair?.action_id ?? null,
        ...(until !== undefined && { held_until: iso(until) }),
      },
      ...(until !== undefined && { until }),
    };
  },
};

/** Whether this waits with the alert that is held: all but a change that tells something else than that all is well. */
const isQuietInRepair = ({ kind, to, told, policy }: Situation): boolean =>
  kind !== 'state_change' || (told === 'up' && announcementOf(to, policy) === 'up');
