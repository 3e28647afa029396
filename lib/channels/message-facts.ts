import type { CheckState } from '#lib/catalog/states.ts';
import type { Alert, Counted } from './alert.ts';

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

/** `2026-11-21 05:16:40 UTC` */
export const clockTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

/** `1 time`, `3 times` */
const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

type MessageFacts = [label: string, value: string][];

const WAS: Partial<Record<CheckState, string>> = { degraded: 'Was degraded for', down: 'Was down for' };
const IS: Partial<Record<CheckState, string>> = { degraded: 'Degraded for', down: 'Down for' };

export function changeFacts(alert: Alert): MessageFacts {
  const { kind, event } = alert;
  const facts: MessageFacts = [
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

export const testFacts = ({ event, check_from_since }: Alert): MessageFacts => [
  ['Check', event.check_to_state],
  ['Entity', event.to_state],
  ['Since', clockTime(check_from_since)],
];

/** `Fails with Database, down since 2026-11-21 05:12:00 UTC. 41 others fail with it: A, B, C and 38 more.` */
export function causeAndImpact({ root, affected, impact, group }: Alert): string {
  const cause = root && `Fails with ${root.entity_name}, ${root.state} since ${clockTime(root.since)}.`;
  const failing = named(affected, 'other fails with it', 'others fail with it');
  const dependents = named(impact, 'depends on it', 'depend on it');
  return [cause, group && stayedDown(group), failing, dependents].filter(Boolean).join(' ');
}

/** `Database has recovered; still down are 4: Shop, Blog, Mail, Search.` */
function stayedDown({ root_entity_name, count, names }: NonNullable<Alert['group']>): string {
  if (count === 1) return `It followed from ${root_entity_name}, which has recovered.`;
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `${root_entity_name} has recovered; still down are ${count}: ${names.join(', ')}${more}.`;
}

/** `41 others fail with it`. */
export const failingWithText = ({ affected }: Alert): string =>
  counted(affected?.count ?? 0, 'other fails with it', 'others fail with it');

const NAMED = 3;

function named(what: Counted | null, one: string, many: string): string {
  if (!what || what.count === 0) return '';
  const shown = what.names.slice(0, NAMED);
  const head = counted(what.count, one, many);
  if (shown.length === 0) return `${head}.`;
  const more = what.count > shown.length ? ` and ${what.count - shown.length} more` : '';
  return `${head}: ${shown.join(', ')}${more}.`;
}

/** `Down 3 times within 1 d.`, where it was more than once. */
export const lately = ({ lately: often }: Alert): string =>
  often && often.failures > 1 ? `Down ${often.failures} times within ${duration(often.within_ms)}.` : '';

/** `Told: Slack, 2 x Webhook.`, where it was more than whoever reads this. */
export function notifiedLine({ told }: Alert): string {
  if (told.length < 2) return '';
  const names = [...new Set(told)].map((name) => {
    const times = told.filter((one) => one === name).length;
    return times > 1 ? `${times} x ${name}` : name;
  });
  return `Told: ${names.join(', ')}.`;
}

/** How long it was in the state before. */
export const wasStateFor = ({ check_from_since, event }: Alert): string =>
  duration(Date.parse(event.timestamp) - Date.parse(check_from_since));

/** How long it has been in the state that this tells, when it was told. */
export const inStateFor = ({ event, at }: Alert): string => duration(Date.parse(at) - Date.parse(event.timestamp));

/** An alert in words, for every channel that people read. Plain text: a channel type escapes it in its own way. */
export type Message = {
  /** One line that says it all: `Shop: checkout is down`. At most 256 characters. */
  title: string;
  mood: 'bad' | 'warn' | 'good' | 'neutral';
  /**
   * What it fails with, and what fails with it, in one line, and empty when nothing is known; or the channel's own text
   * of up to 16,000 characters, and then nothing else is there.
   */
  lead: string;
  /** `['Since', '2026-11-21 05:16:40 UTC']`, in reading order. */
  facts: [label: string, value: string][];
  /** Why the check failed or warns; empty when there is nothing to say. At most 500 characters. */
  why: string;
  /** What the reader should know about this alert itself; empty for a plain one. */
  note: string;
  /** Where to look and what to do, the most useful first: `['Runbook', 'https://…']`. */
  links: [label: string, url: string][];
};
