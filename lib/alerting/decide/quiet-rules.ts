import { type PolicySettings, shown } from '#lib/alerting/policy/policy.ts';
import type { AnnouncedState, CheckItem } from '#lib/checks/check-item.ts';
import { announcementOf } from '#lib/health/state/announced.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';
import type { Rule } from './rule.ts';
import { isUrgent, type Situation } from './situation.ts';

/**
 * Which cooldown an alert waits for and starts. A warning is between up and degraded: it waits for the cooldown of any
 * alert, and starts one that holds back warnings alone.
 */
export type CooldownClass = 'page' | 'warning';

/** Of an alert that tells of a change between what channels are to believe before and after. */
export function cooldownClass(from: AnnouncedState, to: AnnouncedState): CooldownClass {
  const both = [from, to];
  return both.includes('degraded') && !both.includes('down') ? 'warning' : 'page';
}

/** When the cooldown ends that runs at `now` (epoch ms); a time before that when none does. */
function cooldownEnd(
  { last_planned_at = 0, last_warned_at = 0 }: CheckItem['alerts'],
  { cooldown_seconds }: Pick<PolicySettings, 'cooldown_seconds'>,
  of: CooldownClass,
  now: number,
): number {
  const page = pastOrZero(last_planned_at, now);
  const last = of === 'page' ? page : Math.max(page, pastOrZero(last_warned_at, now));
  return last + cooldown_seconds * 1000;
}

/** The cooldown that an alert starts at `at` (epoch ms). */
export const startCooldown = (of: CooldownClass, at: number): CheckItem['alerts'] =>
  of === 'page' ? { last_planned_at: at } : { last_warned_at: at };

/** The class of what is decided: a catch-up is the change between what was told and what is. */
export const classOf = ({ kind, from, to, told, policy }: Situation): CooldownClass =>
  kind === 'catch_up'
    ? cooldownClass(told, announcementOf(to, policy))
    : cooldownClass(shown(from, policy), shown(to, policy));

/** At least cooldown_seconds lie between two alerts; a catch-up after alerts that failed does not wait for them. */
export const cooldown: Rule = {
  name: 'cooldown',
  kinds: ['state_change', 'catch_up'],
  judge(situation) {
    const { policy, at } = situation;
    const until = cooldownEnd(situation, policy, classOf(situation), at);
    const last = until - policy.cooldown_seconds * 1000;
    return {
      stops: at < until && !isUrgent(situation),
      facts: {
        last_alert_at: last > 0 ? iso(last) : null,
        cooldown_seconds: policy.cooldown_seconds,
        cooldown_until: last > 0 ? iso(until) : null,
      },
      until,
    };
  },
};
