import { type Silence, shown } from '#lib/alerting/policy/policy.ts';
import type { PolicySettings } from '#lib/alerting/policy/settings.ts';
import type { AnnouncedState, CheckItem } from '#lib/checks/check-item.ts';
import { DAY_MS, iso, pastOrZero } from '#lib/platform/time.ts';
import { announcementOf, type CooldownClass } from './memory.ts';
import type { Rule } from './rule.ts';
import { isUnsettled, isUrgent, type Situation } from './situation.ts';

/** So far ahead (ms) lies the look at what an entity's silence without an end holds back; whoever lifts it wakes it. */
const NO_END_MS = 30 * DAY_MS;

/**
 * When what a silence holds back is looked at (epoch ms); undefined where nothing has to be: whoever lifts the silence
 * of a check itself has it looked at.
 */
export function silenceLook(silence: Silence | undefined, now: number): number | undefined {
  if (silence?.until !== undefined) return silence.until;
  return silence?.by === 'entity' ? now + NO_END_MS : undefined;
}

/** Somebody holds all alerts of the check back. */
export const silenced: Rule = {
  name: 'silenced',
  kinds: ['state_change', 'repeat', 'catch_up', 'escalation', 'impact', 'acknowledged', 'closed', 'remediation_failed'],
  judge({ policy, silence, at }) {
    const until = silenceLook(silence, at);
    return {
      stops: policy.silenced,
      facts: {
        silenced: policy.silenced,
        ...(silence && {
          silenced_by: silence.by,
          silence_id: silence.id,
          silenced_until: silence.until === undefined ? null : iso(silence.until),
          silence_reason: silence.reason,
        }),
      },
      ...(until !== undefined && { until }),
    };
  },
};

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
