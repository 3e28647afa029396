import type { CheckState } from '#lib/catalog/states.ts';
import { fill, placeholdersIn, withSections } from '#lib/platform/template.ts';
import { shorten } from '#lib/platform/text.ts';
import type { Alert, TriedRemediation } from './alert.ts';
import {
  causeAndImpact,
  changeFacts,
  clockTime,
  duration,
  failingWithText,
  inStateFor,
  lately,
  type Message,
  notifiedLine,
  testFacts,
  wasStateFor,
} from './message-facts.ts';
import { type Templates, valuesOf } from './templates.ts';

/** Of the entity's name, and of the check's label: so that what a title says of them always stays in it. */
const NAME_LENGTH = 100;

type Believed = NonNullable<Alert['reports_state']>;

const MOODS: Record<Believed, Message['mood']> = { up: 'good', degraded: 'warn', down: 'bad' };

/**
 * Pure: which check of which entity, from which state to which, why, since when, how long it was down; in the channel's
 * own words where it has templates.
 * @param longest each of the two names in the title has at most so many characters
 */
export function messageOf(alert: Alert, templates: Templates = {}, longest = NAME_LENGTH): Message {
  const usual = usualMessage(alert, longest);
  const { title_template, body_template } = templates;
  if (title_template === undefined && body_template === undefined) return usual;
  const values = valuesOf(alert, usual);
  const written = (template: string): string => {
    const chosen = withSections(template, (name) => (values.get(name) ?? '') !== '');
    // A label that this entity does not have says nothing.
    const all = new Map([...placeholdersIn(chosen).map((name) => [name, ''] as const), ...values]);
    return (fill(chosen, all, (value) => value, MAX_OWN_TEXT) ?? chosen).trim();
  };
  const title = title_template && shorten(written(title_template).replace(/\s+/g, ' '), MAX_TITLE);
  return {
    ...usual,
    ...(title && { title }),
    ...(body_template && { lead: written(body_template), facts: [], why: '', note: '', links: [] }),
  };
}

/** A short template may ask for much: what is longer once it is filled is shown as it was written. */
const MAX_OWN_TEXT = 16_000;
const MAX_TITLE = 256;

function usualMessage(alert: Alert, longest: number): Message {
  const { kind, reports_state } = alert;
  const isTrouble = reports_state === 'down' || reports_state === 'degraded';
  return {
    title: headline(alert, subject(alert, longest)),
    mood: reports_state === null || kind === 'closed' ? 'neutral' : MOODS[reports_state],
    lead: causeAndImpact(alert),
    facts: reports_state === null ? testFacts(alert) : changeFacts(alert),
    why: isTrouble ? shorten(alert.error_message, 500) : '',
    note: [NOTES[kind](alert), hiddenNote(alert), flapNote(alert), isTrouble && lately(alert), notifiedLine(alert)]
      .filter(Boolean)
      .join(' '),
    links: linksOf(alert),
  };
}

/**
 * Entity and check in a title: `Shop: checkout`. Where one of the names begins or ends with the other, that one alone:
 * nobody reads `Web shop: Web shop`. An address that ends with the entity's name is not what people call it.
 */
function subject({ event: { entity_name }, check_label }: Alert, longest: number): string {
  const [entity, check] = [shorten(entity_name, longest), shorten(check_label, longest)];
  if (says(entity_name, check_label)) return entity;
  return says(check_label, entity_name) && !check_label.includes('://') ? check : `${entity}: ${check}`;
}

function says(longer: string, shorter: string): boolean {
  const [words, part] = [longer.toLowerCase(), shorter.toLowerCase()];
  const rest = words.startsWith(part) ? words.slice(part.length) : words.endsWith(part) && words.slice(0, -part.length);
  return rest !== false && (words.startsWith(part) ? /^(?![\p{L}\p{N}])/u : /(?<![\p{L}\p{N}])$/u).test(rest);
}

/** What a notification shows of it: so it says how long, too. */
function headline(alert: Alert, subject: string): string {
  const { kind, event, cause, reports_state } = alert;
  if (reports_state === null) return `Test alert for ${subject}`;
  if (kind === 'closed') {
    return `${subject} was ${cause === 'check_deleted' ? 'deleted' : 'disabled'}${WHILE[event.check_from_state]}`;
  }
  if (kind === 'impact') return `${subject} is down, and ${failingWithText(alert)}`;
  if (kind === 'acknowledged') return `${subject} is ${reports_state}, and acknowledged`;
  if (kind === 'remediation_failed') {
    const tried = shorten(alert.remediation?.action_name ?? 'its remediation', 60);
    // Since the failure that the series is at it may have gone from degraded to down.
    return `${subject} is still ${reports_state}: ${tried} did not help`;
  }
  switch (reports_state) {
    case 'up':
      return `${subject} is up${AGAIN[event.check_from_state](alert)}`;
    case 'degraded':
      if (kind === 'late') return `${subject} has been degraded for ${inStateFor(alert)}`;
      return event.check_from_state === 'down'
        ? `${subject} is no longer down but degraded, after ${wasStateFor(alert)}`
        : `${subject} is degraded`;
    case 'down':
      if (kind === 'reminder' || kind === 'escalation') return `${subject} is still down after ${inStateFor(alert)}`;
      return `${subject} ${kind === 'late' ? `has been down for ${inStateFor(alert)}` : 'is down'}${causeOf(alert)}${othersOf(alert)}`;
  }
}

/** What it fails with, where that is known: who reads a title alone then looks in the right place. */
const causeOf = ({ root }: Alert): string => (root ? `; cause: ${shorten(root.entity_name, 60)}` : '');

/** How many more one message tells of. */
const othersOf = ({ group }: Alert): string => (group && group.count > 1 ? `, and ${group.count - 1} more` : '');

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
  reminder: () => 'A reminder, as long as it stays down.',
  late: () => 'Told late: an earlier alert about this was held back, failed or came out of order.',
  escalation: ({ step }) => `Step ${step ?? 1} of its escalation: nobody has acknowledged it yet.`,
  impact: () => 'More fails with it than was known when it was told first.',
  acknowledged: ({ acknowledgement }) => {
    const { by = 'Somebody', note = '', until = null } = acknowledgement ?? {};
    const end = until === null ? 'until it is up again' : `until ${clockTime(until)}, or it is up again`;
    const said = note && `: ${note}`;
    return `${by} looks after it${said}${/[.!?]$/.test(said) ? '' : '.'} No reminders ${end}, and nobody else is called.`;
  },
  closed: ({ event }) =>
    `It is no longer checked, so ${WHILE[event.check_from_state] ? 'no recovery' : 'nothing more'} will be reported.`,
  remediation_failed: ({ remediation }) => (remediation ? triedNote(remediation) : ''),
  test: () => 'Nothing has happened. Somebody tested this channel, and it works.',
};

/** What came of the last attempt, in words. */
const CAME_OF_IT: Record<TriedRemediation['verdict'], string> = {
  recovered: 'after the last time it was well for too short a time',
  not_recovered: 'after the last time it still failed',
  unverified: 'after the last time nobody watched it',
};

const triedNote = ({ action_name, attempts, verdict }: TriedRemediation): string =>
  `${shorten(action_name, 60)} was tried ${attempts === 1 ? 'once' : `${attempts} times`}; ${CAME_OF_IT[verdict]}. It is not tried again.`;

/** Whoever wants to hear of down alone is told up, and may read what that is. */
const hiddenNote = ({ reports_state, event }: Alert): string =>
  reports_state === 'up' && event.check_to_state === 'degraded'
    ? 'It is degraded, which its policy does not announce.'
    : '';

function flapNote({ flapping }: Alert): string {
  if (!flapping) return '';
  const { changes, within_ms, calm_ms } = flapping;
  const often = `${changes} changes in ${duration(within_ms)}`;
  return `Flapping: ${often}; told again once it has kept one state for ${duration(calm_ms)}.`;
}

/** What to do first comes first; once nothing is to be done, where to look. */
function linksOf({ urls, acknowledge_url, silence_url, reports_state }: Alert): Message['links'] {
  const isOver = reports_state === 'up' || reports_state === null;
  const all: [string, string | null][] = [
    ['Acknowledge', isOver ? null : acknowledge_url],
    ['Silence for an hour', isOver ? null : silence_url],
    ['Runbook', isOver ? null : urls.runbook],
    ['Incident', urls.incident],
    ['Details', urls.check],
    ['Dashboard', urls.dashboard],
  ];
  return all.flatMap(([label, url]): Message['links'] => (url === null ? [] : [[label, url]]));
}

/**
 * What a receiver keeps together: an incident, where that may concern other entities too, or what one check has to say;
 * of a test, itself. At most 64 characters of an id.
 */
export function dedupKeyOf({ kind, incident_id, with_others, event, delivery_id }: Alert): string {
  if (kind === 'test') return delivery_id;
  return with_others && incident_id !== null ? incident_id : event.check_id;
}

/**
 * What an alert does to its case where cases are opened and closed. What recovers while its root still fails does not
 * end it.
 */
export function eventActionOf({ reports_state, kind, root }: Alert): 'open' | 'acknowledge' | 'close' {
  if (kind === 'acknowledged') return 'acknowledge';
  return kind === 'closed' || (reports_state === 'up' && root === null) ? 'close' : 'open';
}
