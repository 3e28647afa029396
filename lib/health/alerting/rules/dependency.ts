import { shown } from '#lib/checks/policy-item.ts';
import type { Rule } from '#lib/health/alerting/rule.ts';

/**
 * The failure of what depends on others is held until it is known whether it follows from theirs: whoever was told of
 * that is not told of this as well (docs/CONTRACT.md#dependencies).
 */
export const dependency: Rule = {
  name: 'dependency',
  kinds: ['state_change', 'catch_up'],
  holds: true,
  judge: ({ to, dependencies = 0, is_held = false, policy: { hold_for_dependencies } }) => ({
    stops: to === 'down' && dependencies > 0 && hold_for_dependencies && !is_held,
    facts: { dependencies, hold_for_dependencies },
  }),
};

/** While an alert is held nobody is reminded of it; of what nobody was told, nobody is told that it is over. */
export const untold: Rule = {
  name: 'dependency',
  kinds: ['state_change', 'catch_up', 'repeat'],
  judge: ({ kind, to, is_held = false, channels, policy }) => ({
    stops: is_held && channels === 0 && (kind !== 'state_change' || shown(to, policy) === 'up'),
    facts: { is_held },
  }),
};
