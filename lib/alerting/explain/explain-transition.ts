import { type AlertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { situationOf } from '#lib/alerting/decide/situation.ts';
import type { AlertReason, DecidedTransition, RuleFacts } from '#lib/alerting/decide/transition.ts';
import type { GapCause } from '#lib/history/runs/gaps.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { iso } from '#lib/platform/time.ts';
import type { Explanation } from './explanation.ts';

/** Why a rule stopped an alert, to follow a colon; from what the rule looked at. Every reason has its words. */
const WHY: Readonly<Record<AlertReason, (facts: RuleFacts) => string>> = {
  configuration: () => 'somebody disabled or deleted the check, and what people do to it themselves is not announced',
  silenced: ({ silenced_by: by, silenced_until: until, silence_reason: reason }) =>
    `${by === 'entity' ? 'its entity was silenced' : by === 'account' ? 'a silence of the account held for it' : 'its policy was silenced'}${until ? ` until ${clock(until)}` : ''}${reason ? ` (${reason})` : ''}`,
  initial: () => 'it was up for the first time, and its channels had been told nothing else',
  degraded_off: () => 'its policy does not announce degraded, which then counts as up',
  recovery_off: () => 'its policy does not announce recoveries',
  flapping: ({ calm_at }) => `an alert had said that it flaps, and it had to keep one state until ${clock(calm_at)}`,
  cooldown: ({ last_alert_at, cooldown_until }) =>
    `the last alert was decided at ${clock(last_alert_at)}, and its cooldown ran until ${clock(cooldown_until)}`,
  dependency: ({ is_held, dependencies }) =>
    is_held
      ? 'its failure was held, as it may follow from another one, and nobody had been told of it'
      : `its entity depends on ${counted(Number(dependencies), 'other')}, and whoever would be told knew of their failure, or it was over before that was known`,
  no_channels: ({ called_later: later }) =>
    later ? 'all its channels are called by steps of its escalation, which count from then' : 'it had no channels',
  maintenance: ({ window_until: until, held_until: held }) =>
    until
      ? `a maintenance window was open until ${clock(until)}`
      : `its alert of a maintenance window was to be decided at ${clock(held)}`,
  remediation: ({ held_until: until }) => `an action was to repair it first, and had until ${clock(until)}`,
};

/** Why nobody looked. */
export const NOT_WATCHED: Readonly<Record<GapCause, string>> = {
  outage: 'outage of the service',
  network: 'the own network of the service failed',
  error: 'a fault of the service',
  late: 'the service came too late',
};

/** `2026-11-21 10:04:10 UTC`. @param time epoch ms, or ISO 8601 */
export function clock(time: RuleFacts[string] | undefined): string {
  const text = typeof time === 'number' ? iso(time) : String(time);
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`;
}

/** `2 channels`. */
export const counted = (count: number, one: string): string =>
  `${count} ${one}${count === 1 ? '' : one.endsWith('s') ? 'es' : 's'}`;

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** `third`, and `number 11` behind the tenth. */
export const ordinal = (number: number): string => ORDINALS[number] ?? `number ${number}`;

/** Whole seconds. */
export const seconds = (ms: number): string => `${Math.floor(ms / 1000)} s`;

type Explained = Pick<Explanation, 'verdict' | 'sentence' | 'rules'>;

const VERDICTS = { planned: 'alerted', held: 'held', skipped: 'skipped' } as const;

/**
 * Pure: why a change of state was announced or not: its decision, and what each rule says to what it was decided on, by
 * the list that decided it.
 * @param alerts all that went out about it so far, in the order of time
 */
export function explainTransition(transition: DecidedTransition, alerts: readonly AlertItem[] = []): Explained {
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

function decisionSentence({ alert }: DecidedTransition): string {
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
