import type { Explanation } from '#console/api/records.ts';
import { CAUSE } from './alert-reason.ts';
import { duration } from './time.ts';
import { count } from './words.ts';

type Rule = Explanation['rules'][number];
type Facts = Rule['facts'];

/** A piece of a sentence: words, a moment (ISO 8601), or a way to what it is about. */
export type Piece = string | { at: string } | { words: string; href: string };

const at = (fact: Facts[string] | undefined): Piece => ({ at: String(fact) });
const length = (seconds: Facts[string] | undefined): string => duration(Number(seconds) * 1000);

const BY: Readonly<Record<string, string>> = {
  check: 'it is silenced itself',
  entity: 'its entity is silenced',
  account: 'a silence of the account holds',
};

/** What a rule looked at, and found. Every rule of the API has its sentence. */
const FOUND: Readonly<Record<Rule['rule'], (facts: Facts) => Piece[]>> = {
  configuration: ({ cause }) =>
    cause === 'result' ? ['a result changed it'] : [CAUSE[cause as keyof typeof CAUSE] ?? String(cause)],
  repeats_off: ({ repeat_interval_seconds: every }) => [
    every === 0 ? 'reminders are off' : `a reminder every ${length(every)}`,
  ],
  not_down: ({ state }) => [`it is ${state}`],
  catch_up_off: ({ catch_up }) => [catch_up ? 'what was held back is told later' : 'what was held back is not told'],
  not_watched: ({ state }) => [`its state is ${state}`],
  not_told: ({ told }) => [`its channels were told that it is ${told}`],
  acknowledged: ({ acknowledged_by: by, acknowledged_at, acknowledged_until: until }) =>
    by
      ? [`${by} looks after it since `, at(acknowledged_at), ...(until ? [', until ', at(until)] : [])]
      : ['by nobody'],
  silenced: ({ silenced, silenced_by: by, silenced_until: until, silence_reason: reason }) =>
    silenced
      ? [
          BY[String(by)] ?? 'it is silenced',
          ...(until ? [' until ', at(until)] : []),
          ...(reason ? [`: ${reason}`] : []),
        ]
      : ['nothing silences it'],
  initial: ({ from, to, told }) => [`from ${from} to ${to}; its channels were told that it is ${told}`],
  degraded_off: ({ from, to, notify_on_degraded: on }) => [
    `from ${from} to ${to}; degraded is ${on ? 'announced' : 'not announced'}`,
  ],
  told_already: ({ told, state }) => [`it is ${state}; its channels were told that it is ${told}`],
  recovery_off: ({ to, notify_on_recovery: on }) => [
    `it became ${to}; recoveries are ${on ? 'announced' : 'not announced'}`,
  ],
  flapping: ({ flapping_since: since, calm_at }) =>
    since ? ['flapping since ', at(since), ', steady at ', at(calm_at), ' if nothing changes'] : ['it does not flap'],
  cooldown: ({ last_alert_at: last, cooldown_seconds, cooldown_until }) =>
    last
      ? ['last alert ', at(last), `; ${length(cooldown_seconds)} of cooldown until `, at(cooldown_until)]
      : ['no alert before it'],
  dependency: ({ dependencies, hold_for_dependencies: on, is_held }) => {
    if (dependencies === 0) return ['its entity depends on nothing'];
    const others = `its entity depends on ${count(Number(dependencies), 'other')}`;
    if (!on) return [`${others}, which are not asked first`];
    return [is_held ? `${others}; its alert was held until their state was known` : others];
  },
  no_channels: ({ channels, called_later: later }) =>
    later
      ? [`${count(Number(later), 'channel')}, called by steps of its escalation`]
      : [count(Number(channels), 'channel')],
  maintenance: ({ window_id, window_until, held_until }) => {
    if (window_id) {
      const window = { words: 'a window', href: `#/alerts/windows/${window_id}` };
      return [window, ' is open until ', at(window_until)];
    }
    return held_until
      ? ['no window is open; decided by the first result after ', at(held_until)]
      : ['no window is open'];
  },
  remediation: ({ action_id, held_until }) => {
    if (!held_until) return ['no action is to repair it first'];
    const action = action_id ? { words: 'an action', href: `#/actions/${action_id}` } : 'an action';
    return [action, ' was to repair it first, until ', at(held_until)];
  },
};

/** What comes next for a check. */
export const NEXT: Readonly<Record<NonNullable<Explanation['next']>['what'], string>> = {
  probe: 'it is probed',
  silence: 'it fails if nothing comes',
  repeat: 'a reminder goes out',
  catch_up: 'what was held back is looked at',
  escalation: 'the escalation calls others',
  hold: 'its held alert is looked at',
};

type Ancestor = Explanation['looks'][number]['ancestors'][number];

/** What was known of an entity that the failing one depends on. */
export const STATUS_OF_ANCESTOR: Readonly<Record<Ancestor['status'], string>> = {
  failed: 'failed',
  fine: 'was fine',
  blind: 'was not known',
};

/** From where that was known, to follow it. */
export const KNOWN_BY: Readonly<Record<Ancestor['known_by'], string>> = {
  state: ', by the state of its checks',
  result: ', by a push',
  asked: ', as it was probed for this',
  nothing: '',
};

/** What a rule looked at, in words; nothing of one that was not asked. */
export const factsOf = ({ rule, outcome, facts }: Rule): Piece[] =>
  outcome === 'not_reached' ? [] : FOUND[rule](facts);
