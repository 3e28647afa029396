import { shorten } from '#lib/platform/text.ts';
import type { Alert } from './alert.ts';

/** An alert in words, for every channel that people read. Plain text: a channel type escapes it in its own way. */
type Message = {
  /** One line that says it all: `Shop: checkout is down`. At most 256 characters. */
  title: string;
  mood: 'bad' | 'good' | 'neutral';
  /** `['Since', '2026-11-21 05:16:40 UTC']`, in reading order. */
  facts: [label: string, value: string][];
  /** Why the check failed; empty when there is nothing to say. At most 500 characters. */
  why: string;
  /** What the reader should know about this alert itself; empty for a plain one. */
  note: string;
};

/** Of the entity's name, and of the check's label: so that what a title says of them always stays in it. */
const NAME_LENGTH = 100;

/**
 * Pure: which check of which entity, from which state to which, why, since when, how long it was down.
 * @param longest each of the two names in the title has at most so many characters
 */
export function messageOf(whole: Alert, longest = NAME_LENGTH): Message {
  const alert = { ...whole, check_label: shorten(whole.check_label, longest) };
  const { event, kind } = alert;
  const down = event.check_to_state === 'down';
  return {
    title: `${shorten(event.entity_name, longest)}: ${headline(alert)}`,
    mood: kind === 'test' || kind === 'closed' ? 'neutral' : down ? 'bad' : 'good',
    facts: kind === 'test' ? testFacts(alert) : changeFacts(alert),
    why: down && kind !== 'test' ? shorten(alert.error_message, 500) : '',
    note: NOTES[kind](alert),
  };
}

/** What a notification shows of it: so it says how long, too. */
function headline(alert: Alert): string {
  const { kind, check_label, event, cause } = alert;
  const wasDown = event.check_from_state === 'down';
  if (kind === 'test') return `test alert for ${check_label}`;
  if (kind === 'closed') {
    return `${check_label} was ${cause === 'check_deleted' ? 'deleted' : 'disabled'}${wasDown ? ' while down' : ''}`;
  }
  if (event.check_to_state === 'up') {
    return wasDown ? `${check_label} is up again after ${wasDownFor(alert)}` : `${check_label} is up`;
  }
  if (kind === 'repeat') return `${check_label} is still down after ${isDownFor(alert)}`;
  return kind === 'catch_up' ? `${check_label} has been down for ${isDownFor(alert)}` : `${check_label} is down`;
}

const NOTES: Record<Alert['kind'], (alert: Alert) => string> = {
  state_change: () => '',
  repeat: () => 'A reminder, as long as it stays down.',
  catch_up: () => 'Told late: an earlier alert about this was held back, failed or came out of order.',
  closed: ({ event }) =>
    `It is no longer checked, so ${event.check_from_state === 'down' ? 'no recovery' : 'nothing more'} will be reported.`,
  test: () => 'Nothing has happened. Somebody tested this channel, and it works.',
};

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
  if (event.check_from_state === 'down') facts.push(['Was down for', wasDownFor(alert)]);
  else if (event.check_to_state === 'down' && kind !== 'state_change') facts.push(['Down for', isDownFor(alert)]);
  return facts;
}

const testFacts = ({ event, check_from_since }: Alert): Message['facts'] => [
  ['Check', event.check_to_state],
  ['Entity', event.to_state],
  ['Since', clockTime(check_from_since)],
];

const clockTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

const wasDownFor = ({ check_from_since, event }: Alert): string => between(check_from_since, event.timestamp);
const isDownFor = ({ event, at }: Alert): string => between(event.timestamp, at);

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
