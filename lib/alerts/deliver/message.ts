import type { CheckState } from '#lib/catalog/states.ts';
import type { TriedRemediation } from '#lib/health/alerting/alert-item.ts';
import { shorten } from '#lib/platform/text.ts';
import type { Alert } from './alert.ts';

/** An alert in words, for every channel that people read. Plain text: a channel type escapes it in its own way. */
type Message = {
  /** One line that says it all: `Shop: checkout is down`. At most 256 characters. */
  title: string;
  mood: 'bad' | 'warn' | 'good' | 'neutral';
  /** `['Since', '2026-11-21 05:16:40 UTC']`, in reading order. */
  facts: [label: string, value: string][];
  /** Why the check failed or warns; empty when there is nothing to say. At most 500 characters. */
  why: string;
  /** What the reader should know about this alert itself; empty for a plain one. */
  note: string;
};

/** Of the entity's name, and of the check's label: so that what a title says of them always stays in it. */
const NAME_LENGTH = 100;

type Believed = NonNullable<Alert['announces']>;

const MOODS: Record<Believed, Message['mood']> = { up: 'good', degraded: 'warn', down: 'bad' };

/**
 * Pure: which check of which entity, from which state to which, why, since when, how long it was down.
 * @param longest each of the two names in the title has at most so many characters
 */
export function messageOf(whole: Alert, longest = NAME_LENGTH): Message {
  const alert = { ...whole, check_label: shorten(whole.check_label, longest) };
  const { event, kind, announces } = alert;
  const isTrouble = announces === 'down' || announces === 'degraded';
  return {
    title: `${shorten(event.entity_name, longest)}: ${headline(alert)}`,
    mood: announces === null || kind === 'closed' ? 'neutral' : MOODS[announces],
    facts: announces === null ? testFacts(alert) : changeFacts(alert),
    why: isTrouble ? shorten(alert.error_message, 500) : '',
    note: [NOTES[kind](alert), hiddenNote(alert), flapNote(alert)].filter(Boolean).join(' '),
  };
}

/** What a notification shows of it: so it says how long, too. */
function headline(alert: Alert): string {
  const { kind, check_label, event, cause, announces } = alert;
  if (announces === null) return `test alert for ${check_label}`;
  if (kind === 'closed') {
    return `${check_label} was ${cause === 'check_deleted' ? 'deleted' : 'disabled'}${WHILE[event.check_from_state]}`;
  }
  if (kind === 'remediation_failed') {
    return `${check_label} is still ${event.check_to_state}: ${shorten(alert.remediation?.action_name ?? 'its remediation', 80)} did not help`;
  }
  switch (announces) {
    case 'up':
      return `${check_label} is up${AGAIN[event.check_from_state](alert)}`;
    case 'degraded':
      if (kind === 'catch_up') return `${check_label} has been degraded for ${inStateFor(alert)}`;
      return event.check_from_state === 'down'
        ? `${check_label} is no longer down but degraded, after ${wasStateFor(alert)}`
        : `${check_label} is degraded`;
    case 'down':
      if (kind === 'repeat') return `${check_label} is still down after ${inStateFor(alert)}`;
      return kind === 'catch_up' ? `${check_label} has been down for ${inStateFor(alert)}` : `${check_label} is down`;
  }
}

/** How a check came to an end, by the state that it was in. */
const WHILE: Record<CheckState, string> = { up: '', unknown: '', degraded: ' while degraded', down: ' while down' };

/** After what it is up, by the state before. */
const AGAIN: Record<CheckState, (alert: Alert) => string> = {
  up: () => '',
  unknown: () => '',
  degraded: (alert) => ` again after ${wasStateFor(alert)} degraded`,
  down: (alert) => ` again after ${wasStateFor(alert)}`,
};

const NOTES: Record<Alert['kind'], (alert: Alert) => string> = {
  state_change: () => '',
  repeat: () => 'A reminder, as long as it stays down.',
  catch_up: () => 'Told late: an earlier alert about this was held back, failed or came out of order.',
  closed: ({ event }) =>
    `It is no longer checked, so ${WHILE[event.check_from_state] ? 'no recovery' : 'nothing more'} will be reported.`,
  remediation_failed: ({ remediation }) => (remediation ? triedNote(remediation) : ''),
  test: () => 'Nothing has happened. Somebody tested this channel, and it works.',
};

/** What came of the last attempt, in words. */
const CAME_OF_IT: Record<TriedRemediation['verdict'], string> = {
  healed: 'after the last one it was well for too short a time',
  not_healed: 'after the last one it still failed',
  unverified: 'after the last one nobody watched it',
};

const triedNote = ({ action_name, attempts, verdict }: TriedRemediation): string =>
  `${shorten(action_name, 80)} was tried ${attempts === 1 ? 'once' : `${attempts} times`}; ${CAME_OF_IT[verdict]}. It is not tried again.`;

/** Whoever wants to hear of down alone is told up, and may read what that is. */
const hiddenNote = ({ announces, event }: Alert): string =>
  announces === 'up' && event.check_to_state === 'degraded'
    ? 'It is degraded, which its policy does not announce.'
    : '';

function flapNote({ flapping }: Alert): string {
  if (!flapping) return '';
  const { changes, within_ms, calm_ms } = flapping;
  const often = `${changes} changes in ${duration(within_ms)}`;
  return `Flapping: ${often}; told again once it has kept one state for ${duration(calm_ms)}.`;
}

const WAS: Partial<Record<CheckState, string>> = { degraded: 'Was degraded for', down: 'Was down for' };
const IS: Partial<Record<CheckState, string>> = { degraded: 'Degraded for', down: 'Down for' };

function changeFacts(alert: Alert): Message['facts'] {
  const { kind, event } = alert;
  const facts: Message['facts'] = [
    ['Check', `${event.check_from_state} → ${event.check_to_state}`],
    [
      'Entity',
      event.from_state === event.to_state ? `still ${event.to_state}` : `${event.from_state} → ${event.to_state}`,
    ],
    ['Since', clockTime(event.timestamp)],
  ];
  const [was, is] = [WAS[event.check_from_state], IS[event.check_to_state]];
  if (was) facts.push([was, wasStateFor(alert)]);
  if (is && kind !== 'state_change') facts.push([is, inStateFor(alert)]);
  return facts;
}

const testFacts = ({ event, check_from_since }: Alert): Message['facts'] => [
  ['Check', event.check_to_state],
  ['Entity', event.to_state],
  ['Since', clockTime(check_from_since)],
];

const clockTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

const wasStateFor = ({ check_from_since, event }: Alert): string => between(check_from_since, event.timestamp);
const inStateFor = ({ event, at }: Alert): string => between(event.timestamp, at);

const between = (from: string, to: string): string => duration(Date.parse(to) - Date.parse(from));

/** Two units are enough for a person: `3 d 4 h`, `5 min 12 s`. Under a second is `0 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}
