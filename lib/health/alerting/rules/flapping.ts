import type { Rule } from '#lib/alerting/decide/rule.ts';
import { isUnsettled, isUrgent, type Situation } from '#lib/alerting/decide/situation.ts';
import { iso } from '#lib/platform/time.ts';

/**
 * Once an alert has said that a check flaps, the next ones wait until it has kept one state. A catch-up whose channels
 * were told nothing, or the wrong thing last, does not wait.
 */
export const flapping: Rule = {
  name: 'flapping',
  kinds: ['state_change', 'catch_up'],
  judge(situation) {
    const { flapping: flaps } = situation;
    const facts = { flapping_since: flaps ? iso(flaps.since) : null, calm_at: flaps ? iso(flaps.until) : null };
    return { stops: holdsBack(situation), facts, ...(flaps && { until: flaps.until }) };
  },
};

const holdsBack = (situation: Situation): boolean =>
  situation.kind === 'catch_up' ? isUnsettled(situation) && !isUrgent(situation) : situation.flapping?.told === true;
