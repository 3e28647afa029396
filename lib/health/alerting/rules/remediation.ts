import type { Rule } from '#lib/alerting/decide/rule.ts';
import { isHeard, isUnknownTrouble, type Situation } from '#lib/alerting/decide/situation.ts';
import { announcementOf } from '#lib/health/state/announced.ts';
import { iso } from '#lib/platform/time.ts';

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
      stops: isHeard(situation) && (holds || (pending !== undefined && isQuiet(situation))),
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
const isQuiet = ({ kind, to, told, policy }: Situation): boolean =>
  kind !== 'state_change' || (told === 'up' && announcementOf(to, policy) === 'up');
