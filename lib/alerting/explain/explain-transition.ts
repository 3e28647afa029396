import { type AlertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { counted, timeText } from '#lib/alerting/decide/fact-texts.ts';
import { ruleInputOf } from '#lib/alerting/decide/rule-input.ts';
import { decide, ruleOfReason } from '#lib/alerting/decide/rules.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { GapCause } from '#lib/history/results/gaps.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Explanation } from './explanation.ts';

export const GAP_REASON: Readonly<Record<GapCause, string>> = {
  outage: 'outage of the service',
  network: 'network outage of the service',
  error: 'internal error',
  cpu_budget: 'lack of CPU budget for its expressions and documents',
  late: 'delay of the service',
};

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** Formats an ordinal: `third`; from 11: `number 11`. */
export const ordinal = (number: number): string => ORDINALS[number] ?? `number ${number}`;

export const seconds = (ms: number): string => `${Math.floor(ms / 1000)} s`;

type Explained = Pick<Explanation, 'verdict' | 'sentence' | 'remedy' | 'rules'>;

const VERDICTS = { planned: 'alerted', held: 'held', skipped: 'skipped' } as const;

/** Explains the decision about a state change by the outcome of each rule. Pure. @param alerts oldest first */
export function explainTransition(
  transition: DecidedTransition,
  alerts: readonly AlertItem[] = [],
  unreached = alerts.findLast((alert) => alert.unreached)?.unreached,
): Explained {
  const { alert, check_to_state: state, timestamp } = transition;
  const stateText = state === 'unknown' ? 'The check had had no state' : `The check had been ${state}`;
  const change = `${stateText} since ${timeText(timestamp)}.`;
  const responses = alerts.filter(({ kind }) => kind === 'escalation' || kind === 'acknowledged');
  const others = alerts.filter((alert) => alert.kind !== 'state_change' && !responses.includes(alert));
  const wasSent = alerts.some(({ kind }) => kind !== 'acknowledged');
  return {
    verdict: VERDICTS[alert.decision],
    sentence: [
      ...[decisionSentence(transition), change],
      ...(unreached ?? []).map(unreachedSentence),
      ...[...responses, ...others.slice(-1)].map(laterSentence),
    ].join(' '),
    remedy: alert.reason === null || wasSent ? '' : ruleOfReason(alert.reason).remedy,
    rules: decide(ruleInputOf(transition)).rules.map(({ rule, outcome, facts }) => {
      const { label, found } = ruleOfReason(rule);
      return { rule, label, outcome, facts, found: outcome === 'not_reached' ? '' : found(facts) };
    }),
  };
}

function decisionSentence({ alert }: DecidedTransition): string {
  const why =
    alert.reason === null ? '' : (rootCauseSentence(alert) ?? ruleOfReason(alert.reason).sentence(alert.facts));
  switch (alert.decision) {
    case 'planned':
      return `An alert was sent to ${counted(alert.deliveries.length, 'channel')}.`;
    case 'held':
      return `Its alert is held: ${why}.`;
    case 'skipped':
      return `No alert was sent: ${why}.`;
  }
}

/** Returns the reason of an alert that was held or skipped because of a known root cause; else undefined. */
function rootCauseSentence({ reason, attributed_to }: DecidedTransition['alert']): string | undefined {
  if (reason !== 'dependency' || !attributed_to?.root_entity_name) return undefined;
  const { root_entity_name, window_id } = attributed_to;
  const instead = window_id
    ? 'which is in a maintenance window'
    : 'of which the channels of the check are notified instead';
  return `the root cause is ${root_entity_name}, ${instead}`;
}

const unreachedSentence = (step: number): string =>
  `Step ${step + 1} of its escalation did not reach the person on call, because no channel of the person is enabled and applies.`;

const LATER: Readonly<
  Record<Exclude<AlertItem['kind'], 'state_change' | 'escalation' | 'acknowledged' | 'test'>, string>
> = {
  reminder: 'A reminder was sent',
  late: 'A late alert was sent',
  closed: 'A closing alert was sent',
  impact: 'An impact update was sent',
  remediation_failed: 'An alert about its failed remediation was sent',
};

function laterSentence(alert: AlertItem): string {
  const { kind, acknowledgement, step = 0 } = alert;
  const at = timeText(timeOf(alert.id));
  const channels = counted(deliveriesOf(alert).length, 'channel');
  if (kind === 'acknowledged') return `Acknowledged by ${acknowledgement?.by ?? 'a user'} at ${at}.`;
  if (kind === 'escalation') return `Step ${step + 1} of its escalation notified ${channels} at ${at}.`;
  return `${LATER[kind as keyof typeof LATER]} to ${channels} at ${at}.`;
}
