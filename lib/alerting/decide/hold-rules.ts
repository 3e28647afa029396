import { stateForAlerting } from '#lib/alerting/policy/policy.ts';
import { iso } from '#lib/platform/time.ts';
import { counted, timeText } from './fact-texts.ts';
import { reportedStateOf } from './notified-state.ts';
import type { HoldingRule } from './rule.ts';
import { hasRecipients, isNewProblem, type RuleInput } from './rule-input.ts';

/**
 * Holds a failure until it is known whether recipients were notified of an upstream cause (docs/use/dependencies.md).
 * Until a channel is notified, a held failure sends no reminders, escalation steps or recovery.
 */
export const dependency: HoldingRule<'dependency'> = {
  name: 'dependency',
  kinds: ['state_change', 'late', 'reminder', 'escalation'],
  may_hold: true,
  evaluate(input) {
    const { dependencies = 0, held, channels, policy } = input;
    const is_held = held?.reason === 'dependency';
    const { hold_for_dependencies } = policy;
    const holds = !is_held && dependencies > 0 && hold_for_dependencies && hasRecipients(input) && mayHaveCause(input);
    const stops = holds || (is_held && channels === 0 && !needsAlert(input));
    return { stops, holds, facts: { dependencies, hold_for_dependencies, is_held } };
  },
  label: 'Dependencies',
  meaning:
    'the channels were notified of the upstream failure that caused it, or the alert is held until the cause is known.',
  remedy: '',
  sentence: ({ is_held, dependencies }) =>
    is_held
      ? 'its failure was held until its cause was known, and no channel had been notified of it'
      : `its entity depends on ${counted(dependencies, 'other')}, and the cause is possibly an upstream failure that its channels were notified of`,
  found({ dependencies, hold_for_dependencies, is_held }) {
    if (dependencies === 0) return 'its entity depends on nothing';
    const others = `its entity depends on ${counted(dependencies, 'other')}`;
    if (!hold_for_dependencies) return `${others}, whose state is not awaited`;
    return is_held ? `${others}; the alert was held until their state was known` : others;
  },
};

/** Whether an upstream cause is possible. A maintenance window or a hold takes precedence. */
const mayHaveCause = ({ kind, to, window, held }: RuleInput): boolean =>
  (kind === 'state_change' || (kind === 'late' && held === undefined)) && to === 'down' && window === undefined;

/** Whether the change needs an alert even if no recipient was notified of the failure: any state other than up. */
const needsAlert = ({ kind, to, policy }: RuleInput): boolean =>
  kind === 'state_change' && stateForAlerting(to, policy) !== 'up';

/** Holds alerts in a window; the first result after it decides. The recovery of a notified failure is sent at once. */
export const maintenance: HoldingRule<'maintenance'> = {
  name: 'maintenance',
  kinds: ['state_change', 'reminder', 'late', 'escalation', 'impact', 'acknowledged', 'remediation_failed'],
  may_hold: true,
  evaluate(input) {
    const { window, held } = input;
    const pending = held?.reason === 'maintenance' ? held : undefined;
    const until = window?.until ?? pending?.until;
    return {
      stops: hasRecipients(input) && (window !== undefined || pending !== undefined) && isSuppressedInWindow(input),
      holds: isNewProblem(input),
      facts: {
        window_id: window?.id ?? null,
        window_until: window ? iso(window.until) : null,
        ...(pending && { held_until: iso(pending.until) }),
      },
      ...(until !== undefined && { until }),
    };
  },
  label: 'Maintenance window',
  meaning: 'a maintenance window is open, or closed shortly before.',
  remedy: 'If the failure outlasts the window, the alert is sent after the window.',
  sentence: ({ window_until, held_until }) =>
    window_until
      ? `a maintenance window was open until ${timeText(window_until)}`
      : `an alert that a maintenance window had held was to be decided at ${timeText(held_until)}`,
  found({ window_id, window_until, held_until }) {
    if (window_id) return `window ${window_id} is open until ${window_until}`;
    return held_until ? `no window is open; the first result after ${held_until} decides` : 'no window is open';
  },
};

/** Whether an open maintenance window, or a held alert that waits for its end, suppresses this alert. */
function isSuppressedInWindow({ kind, to, notified_state, policy, window }: RuleInput): boolean {
  if (kind === 'reminder' || kind === 'escalation' || kind === 'acknowledged') return true;
  if (reportedStateOf(to, policy) === 'up') return kind === 'state_change' && notified_state === 'up';
  return kind === 'late' || window !== undefined;
}

/** Holds an alert, its reminders and its escalation until the first verdict of the remediation, for a limited time. */
export const remediation: HoldingRule<'remediation'> = {
  name: 'remediation',
  kinds: ['state_change', 'reminder', 'late', 'escalation'],
  may_hold: true,
  evaluate(input) {
    const { repair, held } = input;
    const pending = held?.reason === 'remediation' ? held : undefined;
    const until = repair?.until ?? pending?.until;
    const holds = repair !== undefined && isNewProblem(input);
    return {
      stops: hasRecipients(input) && (holds || (pending !== undefined && waitsForRemediation(input))),
      holds,
      facts: {
        action_id: repair?.action_id ?? null,
        ...(until !== undefined && { held_until: iso(until) }),
      },
      ...(until !== undefined && { until }),
    };
  },
  label: 'Remediation first',
  meaning: 'an action is to repair the failure before an alert is sent.',
  remedy: 'If the action does not help, the alert is sent then.',
  sentence: ({ held_until }) => `an action had until ${timeText(held_until)} to repair it first`,
  found({ action_id, held_until }) {
    if (!held_until) return 'no action is to repair it first';
    return `${action_id ? `action ${action_id}` : 'an action'} had until ${held_until} to repair it first`;
  },
};

/** Whether this alert waits for the held one. A new problem, or the recovery from a reported one, does not. */
const waitsForRemediation = ({ kind, to, notified_state, policy }: RuleInput): boolean =>
  kind !== 'state_change' || (notified_state === 'up' && reportedStateOf(to, policy) === 'up');
