import type { Rule } from '#lib/alerting/decide/rule.ts';
import { isHeard, type Situation } from '#lib/alerting/decide/situation.ts';
import { shown } from '#lib/alerting/policy/policy.ts';

/**
 * The failure of what depends on others is held until it is known whether it follows from theirs: whoever was told of
 * that is not told of this as well (docs/CONTRACT.md#dependencies). While it is held nobody is reminded of it, or
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
