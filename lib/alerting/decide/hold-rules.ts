import { stateForAlerting } from '#lib/alerting/policy/policy.ts';
import { iso } from '#lib/platform/time.ts';
import { reportedStateOf } from './notified-state.ts';
import type { HoldingReason } from './rule.ts';
import { hasRecipients, isNewProblem, type RuleInput } from './rule-input.ts';
import { clock, counted } from './words.ts';

/**
 * The failure of what depends on others is held until it is known whether it follows from theirs: whoever was told of
 * that is not told of this as well (docs/use/dependencies.md). While it is held nobody is reminded of it, or
 * called by its escalation; and of what nobody was told, nobody is told that it is over.
 */
export const dependency: HoldingReason<'dependency'> = {
  name: 'dependency',
  kinds: ['state_change', 'late', 'reminder', 'escalation'],
  may_hold: true,
  evaluate(situation) {
    const { dependencies = 0, held, channels, policy } = situation;
    const is_held = held?.reason === 'dependency';
    const { hold_for_dependencies } = policy;
    const holds =
      !is_held && dependencies > 0 && hold_for_dependencies && hasRecipients(situation) && mayHaveCause(situation);
    const stops = holds || (is_held && channels === 0 && !isNews(situation));
    return { stops, holds, facts: { dependencies, hold_for_dependencies, is_held } };
  },
  label: 'Dependencies',
  meaning:
    'an upstream failure of which the channels were notified caused it, or the alert is held until that is known.',
  remedy: '',
  sentence: ({ is_held, dependencies }) =>
    is_held
      ? 'its failure was held until its cause was known, and no channel had been notified of it'
      : `its entity depends on ${counted(dependencies, 'other')}, and an upstream failure of which its channels were notified may be the cause`,
  found({ dependencies, hold_for_dependencies, is_held }) {
    if (dependencies === 0) return 'its entity depends on nothing';
    const others = `its entity depends on ${counted(dependencies, 'other')}`;
    if (!hold_for_dependencies) return `${others}, which are not checked first`;
    return is_held ? `${others}; the alert was held until their state was known` : others;
  },
};

/** What a maintenance window holds is held by that first, and a late alert waits for what is held already. */
const mayHaveCause = ({ kind, to, window, held }: RuleInput): boolean =>
  (kind === 'state_change' || (kind === 'late' && held === undefined)) && to === 'down' && window === undefined;

/** A change to something else than up is told to those as well who were not told of the failure. */
const isNews = ({ kind, to, policy }: RuleInput): boolean =>
  kind === 'state_change' && stateForAlerting(to, policy) !== 'up';

/**
 * Nobody is woken by planned work: what a check tells in a maintenance window is held until that is over, and then
 * decided by its own first result. A recovery is told at once if the failure was; else there is nothing to tell of.
 */
export const maintenance: HoldingReason<'maintenance'> = {
  name: 'maintenance',
  kinds: ['state_change', 'reminder', 'late', 'escalation', 'impact', 'acknowledged', 'remediation_failed'],
  may_hold: true,
  evaluate(situation) {
    const { window, held } = situation;
    const pending = held?.reason === 'maintenance' ? held : undefined;
    const until = window?.until ?? pending?.until;
    return {
      stops: hasRecipients(situation) && (window !== undefined || pending !== undefined) && isQuietInWindow(situation),
      holds: isNewProblem(situation),
      facts: {
        window_id: window?.id ?? null,
        window_until: window ? iso(window.until) : null,
        ...(pending && { held_until: iso(pending.until) }),
      },
      ...(until !== undefined && { until }),
    };
  },
  label: 'Maintenance window',
  meaning: 'a maintenance window is open, or was until a moment ago.',
  remedy: 'If the failure outlasts the window, the alert is sent then.',
  sentence: ({ window_until, held_until }) =>
    window_until
      ? `a maintenance window was open until ${clock(window_until)}`
      : `an alert that a maintenance window had held was to be decided at ${clock(held_until)}`,
  found({ window_id, window_until, held_until }) {
    if (window_id) return `window ${window_id} is open until ${window_until}`;
    return held_until ? `no window is open; the first result after ${held_until} decides` : 'no window is open';
  },
};

/** Whether this is held back by a window that is open, or by an alert that waits for its end to be judged. */
function isQuietInWindow({ kind, to, told, policy, window }: RuleInput): boolean {
  if (kind === 'reminder' || kind === 'escalation' || kind === 'acknowledged') return true;
  if (reportedStateOf(to, policy) === 'up') return kind === 'state_change' && told === 'up';
  return kind === 'late' || window !== undefined;
}

/**
 * Where an action is to repair a failure before anybody is told, the alert is held until its first verdict, and no
 * longer than that takes. Until then nobody is reminded or called, and of what nobody was told, nobody is told that it
 * is over.
 */
export const remediation: HoldingReason<'remediation'> = {
  name: 'remediation',
  kinds: ['state_change', 'reminder', 'late', 'escalation'],
  may_hold: true,
  evaluate(situation) {
    const { repair, held } = situation;
    const pending = held?.reason === 'remediation' ? held : undefined;
    const until = repair?.until ?? pending?.until;
    const holds = repair !== undefined && isNewProblem(situation);
    return {
      stops: hasRecipients(situation) && (holds || (pending !== undefined && isQuietInRepair(situation))),
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
  sentence: ({ held_until }) => `an action had until ${clock(held_until)} to repair it first`,
  found({ action_id, held_until }) {
    if (!held_until) return 'no action is to repair it first';
    return `${action_id ? `action ${action_id}` : 'an action'} had until ${held_until} to repair it first`;
  },
};

/** Whether this waits with the alert that is held: all but a change that tells something else than that all is well. */
const isQuietInRepair = ({ kind, to, told, policy }: RuleInput): boolean =>
  kind !== 'state_change' || (told === 'up' && reportedStateOf(to, policy) === 'up');
