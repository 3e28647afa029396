import { type AlertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { situationOf } from '#lib/alerting/decide/situation.ts';
import { clock, counted, WHY } from '#lib/alerting/explain/explain-transition.ts';
import type { Explanation } from '#lib/alerting/explain/explanation.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { timeOf } from '#lib/platform/ids.ts';

type Explained = Pick<Explanation, 'verdict' | 'sentence' | 'rules'>;

const VERDICTS = { planned: 'alerted', held: 'held', skipped: 'skipped' } as const;

/**
 * Pure: why a change of state was announced or not: its decision, and what each rule says to what it was decided on, by
 * the list that decided it.
 * @param alerts all that went out about it so far, in the order of time
 */
export function explainTransition(transition: TransitionItem, alerts: readonly AlertItem[] = []): Explained {
  const { alert, check_to_state: state, timestamp } = transition;
  const is = state === 'unknown' ? 'It had no state' : `It was ${state}`;
  const change = `${is} since ${clock(timestamp)}.`;
  const calls = alerts.filter(({ kind }) => kind === 'escalation' || kind === 'acknowledged');
  const others = alerts.filter((alert) => alert.kind !== 'state_change' && !calls.includes(alert));
  return {
    verdict: VERDICTS[alert.decision],
    sentence: [decisionSentence(transition), change, ...[...calls, ...others.slice(-1)].map(laterSentence)].join(' '),
    rules: decide(situationOf(transition)).rules,
  };
}

function decisionSentence({ alert }: TransitionItem): string {
  const why = alert.reason === null ? '' : WHY[alert.reason](alert.facts);
  switch (alert.decision) {
    case 'planned':
      return `It was announced to ${counted(alert.deliveries.length, 'channel')}.`;
    case 'held':
      return `Its alert is held: ${why}.`;
    case 'skipped':
      return `It was announced to nobody: ${why}.`;
  }
}

const LATER: Readonly<
  Record<Exclude<AlertItem['kind'], 'state_change' | 'escalation' | 'acknowledged' | 'test'>, string>
> = {
  repeat: 'A reminder went',
  catch_up: 'A late alert went',
  closed: 'A closing note went',
  impact: 'That more fails with it went',
  remediation_failed: 'That its remediation did not help went',
};

function laterSentence(alert: AlertItem): string {
  const { kind, acknowledgement, step = 0 } = alert;
  const at = clock(timeOf(alert.id));
  const channels = counted(deliveriesOf(alert).length, 'channel');
  if (kind === 'acknowledged') return `${acknowledgement?.by ?? 'Somebody'} acknowledged it at ${at}.`;
  if (kind === 'escalation') return `Step ${step + 1} of its escalation called ${channels} at ${at}.`;
  return `${LATER[kind as keyof typeof LATER]} to ${channels} at ${at}.`;
}
