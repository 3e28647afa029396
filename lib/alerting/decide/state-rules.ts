import { stateForAlerting } from '#lib/alerting/policy/policy.ts';
import { iso } from '#lib/platform/time.ts';
import { counted } from './fact-texts.ts';
import type { ReasonRule, TimedRule } from './rule.ts';
import { isStableAgain, isUnreported, type RuleInput } from './rule-input.ts';

/** Changes by users are recorded and send no alert. */
export const configuration: ReasonRule<'configuration'> = {
  name: 'configuration',
  kinds: ['state_change'],
  evaluate: ({ cause }) => ({ stops: cause !== 'result' && cause !== 'missed_heartbeat', facts: { cause } }),
  label: 'Change by a user',
  meaning: 'a user disabled or deleted the check.',
  remedy: '',
  sentence: () => 'a user disabled or deleted the check, which sends no alert',
  found: ({ cause }) => CAUSES[String(cause)] ?? `caused by ${cause}`,
};

const CAUSES: Readonly<Record<string, string>> = {
  result: 'a result changed the state',
  missed_heartbeat: 'a missed heartbeat changed the state',
  check_disabled: 'a user disabled the check',
  check_enabled: 'a user enabled the check',
  check_deleted: 'a user deleted the check',
};

/** A created or enabled check that comes up sends no alert if the last notified state is up. */
export const initial: ReasonRule<'initial'> = {
  name: 'initial',
  kinds: ['state_change'],
  evaluate: ({ from, to, notified_state, policy }) => ({
    stops: from === 'unknown' && stateForAlerting(to, policy) === 'up' && notified_state === 'up',
    facts: { from, to, notified_state },
  }),
  label: 'First state',
  meaning: 'the check came up after it was created or enabled, and the last notified state was up.',
  remedy: '',
  sentence: () => 'it came up after it was created or enabled, and the last notified state was up',
  found: ({ from, to, notified_state }) => `from ${from} to ${to}; the last notified state is ${notified_state}`,
};

/** If alerts on degraded are disabled, degraded counts as up, and a failed remediation of it sends no alert. */
export const degradedDisabled: ReasonRule<'degraded_disabled'> = {
  name: 'degraded_disabled',
  kinds: ['state_change', 'remediation_failed'],
  evaluate: ({ kind, from, to, policy }) => ({
    stops:
      kind === 'remediation_failed'
        ? stateForAlerting(to, policy) !== to
        : stateForAlerting(from, policy) === stateForAlerting(to, policy),
    facts: { from, to, notify_on_degraded: policy.notify_on_degraded },
  }),
  label: 'Alerts on degraded',
  meaning: 'the check changed between up and degraded, and its policy does not alert on degraded.',
  remedy: '',
  sentence: () => 'its policy does not alert on degraded, which then counts as up',
  found: ({ from, to, notify_on_degraded }) =>
    `from ${from} to ${to}; alerts on degraded are ${notify_on_degraded ? 'on' : 'off'}`,
};

/** Skips recoveries, which are changes to a state that counts as up, if the policy disables their alerts. */
export const recoveryDisabled: ReasonRule<'recovery_disabled'> = {
  name: 'recovery_disabled',
  kinds: ['state_change', 'late'],
  evaluate: ({ to, policy }) => ({
    stops: stateForAlerting(to, policy) === 'up' && !policy.notify_on_recovery,
    facts: { to, notify_on_recovery: policy.notify_on_recovery },
  }),
  label: 'Alerts on recovery',
  meaning: 'the check recovered, and its policy does not alert on recovery.',
  remedy: '',
  sentence: () => 'its policy does not alert on recovery',
  found: ({ to, notify_on_recovery }) => `to ${to}; alerts on recovery are ${notify_on_recovery ? 'on' : 'off'}`,
};

/** Skips late alerts if the policy disables them. */
export const lateAlertsDisabled: TimedRule<'late_alerts_disabled'> = {
  name: 'late_alerts_disabled',
  kinds: ['late'],
  evaluate: ({ policy: { late_alerts } }) => ({ stops: !late_alerts, facts: { late_alerts } }),
};

/** A check whose state is unknown (no success yet, and fewer failures than the threshold) sends no late alert. */
export const stateUnknown: TimedRule<'state_unknown'> = {
  name: 'state_unknown',
  kinds: ['late'],
  evaluate: ({ to }) => ({ stops: to === 'unknown', facts: { state: to } }),
};

/** Skips an alert about reported states and failures, except after misordered alerts or when reported flapping ends. */
export const alreadyNotified: TimedRule<'already_notified'> = {
  name: 'already_notified',
  kinds: ['late', 'closed'],
  evaluate(input) {
    const { notified_state, to } = input;
    return { stops: !isNew(input), facts: { notified_state, state: to } };
  },
};

function isNew(input: RuleInput): boolean {
  const { kind, notified_state, unreported, out_of_order } = input;
  if (kind === 'closed') return notified_state !== 'up';
  return isUnreported(input) || unreported !== undefined || out_of_order === true || isStableAgain(input);
}

/** Skips reminders if the policy has no reminder interval. */
export const remindersDisabled: TimedRule<'reminders_disabled'> = {
  name: 'reminders_disabled',
  kinds: ['reminder'],
  evaluate: ({ policy: { repeat_interval_seconds } }) => ({
    stops: repeat_interval_seconds === 0,
    facts: { repeat_interval_seconds },
  }),
};

export const notDown: TimedRule<'not_down'> = {
  name: 'not_down',
  kinds: ['reminder', 'escalation', 'impact'],
  evaluate: ({ to }) => ({ stops: to !== 'down', facts: { state: to } }),
};

export const noChannels: ReasonRule<'no_channels'> = {
  name: 'no_channels',
  kinds: ['state_change', 'reminder', 'late', 'escalation', 'impact', 'acknowledged', 'closed', 'remediation_failed'],
  evaluate: ({ channels, called_later }) => ({
    stops: channels === 0,
    facts: { channels, ...(called_later !== undefined && { called_later }) },
  }),
  label: 'Channels',
  meaning: 'no channel of the check is notified immediately.',
  remedy: 'To be notified next time, add a channel that is not in an escalation step.',
  sentence: ({ called_later }) =>
    called_later
      ? 'all its channels are notified by escalation steps, whose times count from this decision'
      : 'it had no channels',
  found: ({ channels, called_later }) =>
    called_later
      ? `${counted(called_later, 'channel')}, notified by steps of the escalation`
      : counted(channels, 'channel'),
};

/** An acknowledged failure sends no reminders, escalation steps or impact updates. New states are reported. */
export const acknowledged: TimedRule<'acknowledged'> = {
  name: 'acknowledged',
  kinds: ['reminder', 'escalation', 'impact'],
  evaluate({ acknowledged: by }) {
    return {
      stops: by !== undefined,
      facts: {
        acknowledged_by: by?.by ?? null,
        acknowledged_at: by ? iso(by.at) : null,
        acknowledged_until: by?.until === undefined ? null : iso(by.until),
      },
      ...(by?.until !== undefined && { until: by.until }),
    };
  },
};

/** Skips the alert about an acknowledgement if no alert has reported the failure. */
export const notNotified: TimedRule<'not_notified'> = {
  name: 'not_notified',
  kinds: ['acknowledged'],
  evaluate: ({ notified_state }) => ({ stops: notified_state === 'up', facts: { notified_state } }),
};
