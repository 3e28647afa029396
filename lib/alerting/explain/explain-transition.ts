import type { AlertReason, RuleFacts } from '#lib/alerting/decide/transition.ts';
import type { GapCause } from '#lib/health/history/gap-causes.ts';
import { iso } from '#lib/platform/time.ts';

/** Why a rule stopped an alert, to follow a colon; from what the rule looked at. Every reason has its words. */
export const WHY: Readonly<Record<AlertReason, (facts: RuleFacts) => string>> = {
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
