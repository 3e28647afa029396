import type { CheckState } from '#lib/catalog/states.ts';
import type { Alert, Counted } from './alert.ts';

/** Formats a duration with at most two units: `3 d 4 h`, `5 min 12 s`; `0 s` below a second. */
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

/** Formats an ISO 8601 time: `2026-11-21 05:16:40 UTC`. */
export const clockTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

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
    [alert.outage_started_at === null ? 'Since' : 'Failing since', clockTime(stateSince(alert))],
  ];
  const [was, is] = [WAS[event.check_from_state], IS[event.check_to_state]];
  if (was) facts.push([was, previousStateDuration(alert)]);
  if (is && kind !== 'state_change') facts.push([is, stateDuration(alert)]);
  return facts;
}

export const testFacts = ({ event, check_from_since }: Alert): MessageFacts => [
  ['Check', event.check_to_state],
  ['Entity', event.to_state],
  ['Since', clockTime(check_from_since)],
];

/** Formats `Root cause: Database, down since 2026-11-21 05:12:00 UTC. 41 others fail with it: A, B, C and 38 more.` */
export function causeAndImpact({ root, affected, impact, group }: Alert): string {
  const cause = root && `Root cause: ${root.entity_name}, ${root.state} since ${clockTime(root.since)}.`;
  const failing = named(affected, 'other fails with it', 'others fail with it');
  const dependents = named(impact, 'depends on it', 'depend on it');
  return [cause, group && stayedDown(group), failing, dependents].filter(Boolean).join(' ');
}

function stayedDown({ root_entity_name, count, names }: NonNullable<Alert['group']>): string {
  if (count === 1) return `It was caused by ${root_entity_name}, which has recovered.`;
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `${root_entity_name} has recovered; still down are ${count}: ${names.join(', ')}${more}.`;
}

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

/** Formats `Down 3 times within 1 d.` for more than one failure. */
export const lately = ({ lately: recent }: Alert): string =>
  recent && recent.failures > 1 ? `Down ${recent.failures} times within ${duration(recent.within_ms)}.` : '';

/** Formats `Notified: Slack, 2 x Webhook.` for more than one channel. */
export function notifiedLine({ notified }: Alert): string {
  if (notified.length < 2) return '';
  const names = [...new Set(notified)].map((name) => {
    const times = notified.filter((one) => one === name).length;
    return times > 1 ? `${times} x ${name}` : name;
  });
  return `Notified: ${names.join(', ')}.`;
}

export const previousStateDuration = ({ check_from_since, event }: Alert): string =>
  duration(Date.parse(event.timestamp) - Date.parse(check_from_since));

/** Returns the start of the state of the check, ISO 8601; for `down`, the time of the first failed result. */
export const stateSince = ({ outage_started_at, event }: Pick<Alert, 'outage_started_at' | 'event'>): string =>
  outage_started_at ?? event.timestamp;

export const stateDuration = (alert: Alert): string => duration(Date.parse(alert.at) - Date.parse(stateSince(alert)));

/** Human-readable alert in plain text; channel types escape it. */
export type Message = {
  /** Complete summary in one line: `Shop: checkout is down`. From a template, at most 256 characters. */
  title: string;
  mood: 'bad' | 'warn' | 'good' | 'neutral';
  /** Root cause and impact; may be empty. From a template: up to 16,000 characters, and the parts below are empty. */
  lead: string;
  facts: [label: string, value: string][];
  /** Error or warning of the check, at most 500 characters; may be empty. */
  why: string;
  note: string;
  /** Links, the most useful first: `['Runbook', 'https://…']`. */
  links: [label: string, url: string][];
};
