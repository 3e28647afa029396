import { type Silence, stateForAlerting } from '#lib/alerting/policy/policy.ts';
import type { PolicySettings } from '#lib/alerting/policy/settings.ts';
import { duration } from '#lib/channels/message-facts.ts';
import type { CheckItem, NotifiedState } from '#lib/checks/check-item.ts';
import { DAY_MS, iso, pastOrZero } from '#lib/platform/time.ts';
import { timeText } from './fact-texts.ts';
import { type CooldownClass, reportedStateOf } from './notified-state.ts';
import type { ReasonRule } from './rule.ts';
import { bypassesCooldown, isStillFlapping, type RuleInput } from './rule-input.ts';

/** Recheck interval (ms) for a silence of an entity without an end. Removing the silence also triggers a recheck. */
const NO_END_MS = 30 * DAY_MS;

/** Returns when to recheck suppressed alerts (epoch ms); undefined if only removing the silence triggers it. */
export function silenceRecheckAt(silence: Silence | undefined, now: number): number | undefined {
  if (silence?.until !== undefined) return silence.until;
  return silence?.by === 'entity' ? now + NO_END_MS : undefined;
}

export const silenced: ReasonRule<'silenced'> = {
  name: 'silenced',
  kinds: ['state_change', 'reminder', 'late', 'escalation', 'impact', 'acknowledged', 'closed', 'remediation_failed'],
  evaluate({ policy, silence, at }) {
    const until = silenceRecheckAt(silence, at);
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
  label: 'Silence',
  meaning: 'a silence of the check, its entity or the account suppresses it.',
  remedy: 'Remove the silence to receive alerts again.',
  sentence({ silenced_by, silenced_until, silence_reason }) {
    const until = silenced_until ? ` until ${timeText(silenced_until)}` : '';
    return `${SILENCED[String(silenced_by)] ?? 'its policy was silenced'}${until}${silence_reason ? ` (${silence_reason})` : ''}`;
  },
  found({ silenced, silenced_by, silenced_until, silence_reason }) {
    if (!silenced) return 'no silence applies';
    const until = silenced_until ? ` until ${silenced_until}` : '';
    return `${SILENCES[String(silenced_by)] ?? 'its policy is silenced'}${until}${silence_reason ? `: ${silence_reason}` : ''}`;
  },
};

/** Texts by owner of a silence, in the past and the present tense. Missing: the policy of the check. */
const SILENCED: Readonly<Record<string, string>> = {
  entity: 'its entity was silenced',
  account: 'a silence of the account applied to it',
};
const SILENCES: typeof SILENCED = {
  entity: 'its entity is silenced',
  account: 'a silence of the account applies to it',
};

/** Suppresses alerts after one has reported flapping, except a late alert after failed or misordered alerts. */
export const flapping: ReasonRule<'flapping'> = {
  name: 'flapping',
  kinds: ['state_change', 'late'],
  evaluate(input) {
    const { flapping: flaps } = input;
    const facts = { flapping_since: flaps ? iso(flaps.since) : null, calm_at: flaps ? iso(flaps.until) : null };
    return { stops: isSuppressed(input), facts, ...(flaps && { until: flaps.until }) };
  },
  label: 'Flapping',
  meaning: 'an alert reported that the check flaps, and it has not kept one state long enough since.',
  remedy:
    'Once it has kept one state long enough, a late alert reports that state, unless its policy turns late alerts off.',
  sentence: ({ calm_at }) =>
    `an alert had reported that it flaps, and it had to keep one state until ${timeText(calm_at)}`,
  found: ({ flapping_since, calm_at }) =>
    flapping_since ? `flapping since ${flapping_since}; steady at ${calm_at} if nothing changes` : 'it does not flap',
};

const isSuppressed = (input: RuleInput): boolean =>
  input.kind === 'late' ? isStillFlapping(input) && !bypassesCooldown(input) : input.flapping?.notified === true;

export function cooldownClass(from: NotifiedState, to: NotifiedState): CooldownClass {
  const both = [from, to];
  return both.includes('degraded') && !both.includes('down') ? 'warning' : 'page';
}

/** Returns the end of the cooldown at `now` (epoch ms); a time in the past if none runs. */
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

/** Returns the class of an alert; a late alert is a change from the last notified state to the present one. */
function classOf({ kind, from, to, notified_state, unreported, policy }: RuleInput): CooldownClass {
  if (kind !== 'late') return cooldownClass(stateForAlerting(from, policy), stateForAlerting(to, policy));
  return unreported ? 'page' : cooldownClass(notified_state, reportedStateOf(to, policy));
}

const isRecoveryAtOnce = ({ to, notified_state, policy }: RuleInput): boolean =>
  !policy.cooldown_on_recovery && reportedStateOf(to, policy) === 'up' && notified_state !== 'up';

/** Returns the cooldown that an alert starts; null: none. */
export const cooldownAfter = (input: RuleInput): CooldownClass | null =>
  isRecoveryAtOnce(input) ? null : classOf(input);

/**
 * Requires cooldown_seconds since the last alert (for a page: the last page), except for a recovery without a cooldown,
 * and for a late alert after failed or misordered ones.
 */
export const cooldown: ReasonRule<'cooldown'> = {
  name: 'cooldown',
  kinds: ['state_change', 'late'],
  evaluate(input) {
    const { policy, at } = input;
    const until = cooldownEnd(input, policy, classOf(input), at);
    const last = until - policy.cooldown_seconds * 1000;
    const isAtOnce = isRecoveryAtOnce(input);
    return {
      stops: at < until && !isAtOnce && !bypassesCooldown(input),
      facts: {
        ...(isAtOnce && { cooldown_on_recovery: false }),
        last_alert_at: last > 0 ? iso(last) : null,
        cooldown_seconds: policy.cooldown_seconds,
        cooldown_until: last > 0 ? iso(until) : null,
      },
      until,
    };
  },
  label: 'Cooldown',
  meaning: 'the last alert was sent within the cooldown.',
  remedy:
    'When the cooldown ends, a late alert reports a state or a failure that no alert has reported, unless its policy turns late alerts off or another rule stops it.',
  sentence: ({ last_alert_at, cooldown_until }) =>
    `the last alert was decided at ${timeText(last_alert_at)}, and its cooldown ran until ${timeText(cooldown_until)}`,
  found: ({ last_alert_at, cooldown_seconds, cooldown_until, cooldown_on_recovery }) =>
    cooldown_on_recovery === false
      ? 'recoveries have no cooldown'
      : last_alert_at
        ? `last alert ${last_alert_at}; cooldown of ${duration(Number(cooldown_seconds) * 1000)} until ${cooldown_until}`
        : 'no alert before it',
};
