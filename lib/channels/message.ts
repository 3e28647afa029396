import type { CheckState } from '#lib/catalog/states.ts';
import { fill, placeholdersIn, withSections } from '#lib/platform/template.ts';
import { shorten } from '#lib/platform/text.ts';
import type { Alert, MonthFigures, MonthlyReport, StatusUpdate, TriedRemediation } from './alert.ts';
import { combinedList, combinedTitle } from './combined.ts';
import {
  causeAndImpact,
  changeFacts,
  clockTime,
  duration,
  failingWithText,
  lately,
  type Message,
  notifiedLine,
  previousStateDuration,
  stateDuration,
  testFacts,
} from './message-facts.ts';
import { type Templates, valuesOf } from './templates.ts';

/** Maximum length of each name in a title, so that the state always fits. */
const NAME_LENGTH = 100;

type ReportedState = NonNullable<Alert['reports_state']>;

const MOODS: Record<ReportedState, Message['mood']> = { up: 'good', degraded: 'warn', down: 'bad' };

/** Returns the message, from templates if any. Pure. @param nameLength maximum length of each name in the title */
export function messageOf(alert: Alert, templates: Templates = {}, nameLength = NAME_LENGTH): Message {
  if (alert.combined) return combinedMessage(alert.combined, templates);
  if (alert.report) return reportMessage(alert.report);
  const usual = alert.status_update ? statusMessage(alert.status_update) : defaultMessage(alert, nameLength);
  const { title_template, body_template } = templates;
  if (title_template === undefined && body_template === undefined) return usual;
  const values = valuesOf(alert, usual);
  const written = (template: string): string => {
    const chosen = withSections(template, (name) => (values.get(name) ?? '') !== '');
    // The placeholder of a missing label becomes empty.
    const all = new Map([...placeholdersIn(chosen).map((name) => [name, ''] as const), ...values]);
    return (fill(chosen, all, (value) => value, MAX_RENDERED) ?? chosen).trim();
  };
  const title = title_template && shorten(written(title_template).replace(/\s+/g, ' '), MAX_TITLE);
  return {
    ...usual,
    ...(title && { title }),
    ...(body_template && { lead: written(body_template), facts: [], why: '', note: '', links: [] }),
  };
}

const STATUS_WORDS: Record<StatusUpdate['status'], string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  scheduled: 'Maintenance scheduled',
  started: 'Maintenance started',
  ended: 'Maintenance ended',
  cancelled: 'Maintenance cancelled',
};

/** Returns the message of an update of a status page, without data of the account. */
const statusMessage = ({ title, status, message, page, url }: StatusUpdate): Message => ({
  title: `${STATUS_WORDS[status]}: ${shorten(title, NAME_LENGTH)}`,
  mood: status === 'resolved' || status === 'ended' ? 'good' : 'neutral',
  lead: message,
  ...{ facts: [], why: '', note: '' },
  links: [[page, url]],
});

function reportMessage({ account, month, current, before, without_data, worst, url }: MonthlyReport): Message {
  const name = monthName(month);
  const earlier = monthName(month, -1);
  const compared = (text: (of: MonthFigures) => string) => `${text(current)} (${earlier}: ${text(before)})`;
  const unknown = without_data === 1 ? '1 entity has no data.' : `${without_data} entities have no data.`;
  return {
    title: `Uptime of ${shorten(account, NAME_LENGTH)} in ${name}`,
    mood: 'neutral',
    lead: current.uptime === null ? `No data: nothing was monitored in ${name}.` : '',
    facts: [
      ['Uptime', compared(({ uptime }) => percent(uptime))],
      ['Downtime', compared(({ uptime, down_seconds }) => (uptime === null ? NO_DATA : duration(down_seconds * 1000)))],
      ['Monitored time', compared(({ coverage }) => percent(coverage))],
      ['Incidents', compared(({ incidents }) => String(incidents))],
      ...worst.map(({ name: entity, uptime, down_seconds }, i): [string, string] => [
        `${i + 1}. ${shorten(entity, NAME_LENGTH)}`,
        `${percent(uptime)}, down for ${duration(down_seconds * 1000)}`,
      ]),
    ],
    why: '',
    note: `The month is in UTC; maintenance is not counted.${without_data > 0 ? ` ${unknown}` : ''}`,
    links: [['Uptime report', url]],
  };
}

const NO_DATA = 'no data';

/** Formats `99.953 %`, truncated: 100 % means no downtime. */
const percent = (ratio: number | null): string =>
  ratio === null ? NO_DATA : `${Math.floor(Math.round(ratio * 1e6) / 10) / 1000} %`;

const monthName = (month: string, offset = 0): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + offset)).toLocaleString('en-US', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });

function combinedMessage({ alerts, following }: NonNullable<Alert['combined']>, templates: Templates): Message {
  const messages = alerts.map((alert) => ({ alert, ...messageOf(alert, templates, SHORT_NAME) }));
  const entries = messages.map(({ alert: { urls }, title, lead, facts, why }) =>
    [
      title,
      ...(templates.body_template === undefined ? facts.slice(0, 1).map((fact) => fact.join(': ')) : [lead]),
      why && `Why: ${shorten(why, SHORT_WHY)}`,
      urls.check,
    ]
      .filter(Boolean)
      .join('\n'),
  );
  return {
    title: combinedTitle(alerts),
    mood: messages[0]!.mood,
    lead: combinedList(entries),
    facts: [],
    why: '',
    note: following > 0 ? `${following} more ${following === 1 ? 'alert follows' : 'alerts follow'}.` : '',
    links: [],
  };
}

/** Maximum lengths of a name and of a reason in a combined message. */
const SHORT_NAME = 60;
const SHORT_WHY = 120;

/** Maximum length of a rendered template; beyond it, the template is shown unrendered. */
const MAX_RENDERED = 16_000;
const MAX_TITLE = 256;

function defaultMessage(alert: Alert, nameLength: number): Message {
  const { kind, reports_state } = alert;
  const isTrouble = reports_state === 'down' || reports_state === 'degraded';
  return {
    title: headline(alert, subject(alert, nameLength)),
    mood: reports_state === null || kind === 'closed' ? 'neutral' : MOODS[reports_state],
    lead: causeAndImpact(alert),
    facts: reports_state === null ? testFacts(alert) : changeFacts(alert),
    why: isTrouble ? shorten(alert.error_message, 500) : '',
    note: [
      NOTES[kind](alert),
      unreportedNote(alert),
      degradedNote(alert),
      flappingFigures(alert),
      isTrouble && lately(alert),
      notifiedLine(alert),
    ]
      .filter(Boolean)
      .join(' '),
    links: linksOf(alert),
  };
}

/**
 * Returns the subject of a title: entity and check, or only the longer name if it begins or ends with the other. A
 * check label with a URL does not replace the entity.
 */
function subject({ event: { entity_name }, check_label }: Alert, nameLength: number): string {
  const [entity, check] = [shorten(entity_name, nameLength), shorten(check_label, nameLength)];
  if (containsName(entity_name, check_label)) return entity;
  return containsName(check_label, entity_name) && !check_label.includes('://') ? check : `${entity}: ${check}`;
}

function containsName(longer: string, shorter: string): boolean {
  const [words, part] = [longer.toLowerCase(), shorter.toLowerCase()];
  const rest = words.startsWith(part) ? words.slice(part.length) : words.endsWith(part) && words.slice(0, -part.length);
  return rest !== false && (words.startsWith(part) ? /^(?![\p{L}\p{N}])/u : /(?<![\p{L}\p{N}])$/u).test(rest);
}

/** Returns the title; notifications may show nothing else, so it includes durations. */
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
    // The state can differ from that of the remediated failure: a degraded check can be down now.
    return `${subject} is still ${reports_state}: ${tried} did not help`;
  }
  switch (reports_state) {
    case 'up':
      return `${subject} is up${AGAIN[event.check_from_state](alert)}`;
    case 'degraded':
      if (kind === 'late') return `${subject} has been degraded for ${stateDuration(alert)}`;
      return event.check_from_state === 'down'
        ? `${subject} is no longer down but degraded, after ${previousStateDuration(alert)}`
        : `${subject} is degraded`;
    case 'down':
      if (kind === 'reminder' || kind === 'escalation') return `${subject} is still down after ${stateDuration(alert)}`;
      return `${subject} ${kind === 'late' ? downFor(alert) : 'is down'}${causeOf(alert)}${othersOf(alert)}`;
  }
}

const downFor = (alert: Alert): string =>
  `has been down ${alert.again ? 'again ' : ''}for ${stateDuration(alert)}${alert.again ? AFTER[alert.event.check_from_state](alert) : ''}`;

const AFTER: Record<CheckState, (alert: Alert) => string> = {
  up: (alert) => `, after ${previousStateDuration(alert)} up`,
  unknown: () => '',
  degraded: (alert) => `, after ${previousStateDuration(alert)} degraded`,
  down: () => '',
};

const causeOf = ({ root }: Alert): string => (root ? `; cause: ${shorten(root.entity_name, 60)}` : '');

const othersOf = ({ group }: Alert): string => (group && group.count > 1 ? `, and ${group.count - 1} more` : '');

const WHILE: Record<CheckState, string> = { up: '', unknown: '', degraded: ' while degraded', down: ' while down' };

const AGAIN: Record<CheckState, (alert: Alert) => string> = {
  up: () => '',
  unknown: () => '',
  degraded: (alert) => ` again after ${previousStateDuration(alert)} degraded`,
  down: (alert) => ` again after ${previousStateDuration(alert)}`,
};

const NOTES: Record<Alert['kind'], (alert: Alert) => string> = {
  state_change: () => '',
  reminder: () => 'Reminder: still down.',
  late: () => 'Late alert: an earlier one was suppressed, failed or arrived out of order.',
  escalation: ({ step }) => `Escalation step ${step ?? 1}: not acknowledged yet.`,
  impact: () => 'More entities are affected than first reported.',
  acknowledged: ({ acknowledgement }) => {
    const { by = 'a user', note = '', until = null } = acknowledgement ?? {};
    const end = until === null ? 'until it is up again' : `until ${clockTime(until)}, or until it is up again`;
    const suffix = note && `: ${note}`;
    return `Acknowledged by ${by}${suffix}${/[.!?]$/.test(suffix) ? '' : '.'} No reminders or escalation ${end}.`;
  },
  closed: ({ event }) =>
    `It is no longer checked, so ${WHILE[event.check_from_state] ? 'no recovery' : 'nothing more'} will be reported.`,
  remediation_failed: ({ remediation }) => (remediation ? triedNote(remediation) : ''),
  status_update: () => '',
  monthly_report: () => '',
  test: () => 'Test alert: nothing has happened, and this channel works.',
};

const LAST_ATTEMPT: Record<TriedRemediation['verdict'], string> = {
  recovered: 'after the last attempt it was healthy only briefly',
  not_recovered: 'after the last attempt it still failed',
  unverified: 'after the last attempt it was not monitored',
};

const triedNote = ({ action_name, attempts, verdict }: TriedRemediation): string =>
  `${shorten(action_name, 60)} was attempted ${attempts === 1 ? 'once' : `${attempts} times`}; ${LAST_ATTEMPT[verdict]}. No further attempts.`;

function unreportedNote({ unreported }: Alert): string {
  if (!unreported) return '';
  const { count, from, to } = unreported;
  const times = count === 1 ? ' without an alert' : ` ${count} times without an alert, the last`;
  return `It also failed${times} from ${clockTime(from)} to ${clockTime(to)}.`;
}

const degradedNote = ({ reports_state, event }: Alert): string =>
  reports_state === 'up' && event.check_to_state === 'degraded'
    ? 'It is degraded, but its policy does not alert on degraded.'
    : '';

function flappingFigures({ flapping }: Alert): string {
  if (!flapping) return '';
  const { changes, within_ms, calm_ms } = flapping;
  const often = `${changes} changes in ${duration(within_ms)}`;
  return `Flapping: ${often}. Next alert after ${duration(calm_ms)} in one state.`;
}

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

/** Returns the key of the thread: id of a shared incident, else the key of the case; at most 64 characters. */
export const threadKeyOf = (alert: Alert): string =>
  alert.shares_incident && alert.incident_id !== null && !isKeyedByDelivery(alert)
    ? alert.incident_id
    : caseKeyOf(alert);

/** Returns the key of the case: the check, whose recovery closes it; for tests and combined messages, the delivery. */
export const caseKeyOf = (alert: Alert): string =>
  isKeyedByDelivery(alert) ? alert.delivery_id : alert.event.check_id;

const isKeyedByDelivery = ({ kind, combined }: Alert): boolean => kind === 'test' || combined !== null;

export function eventActionOf({ reports_state, kind }: Alert): 'open' | 'acknowledge' | 'close' {
  if (kind === 'acknowledged') return 'acknowledge';
  return kind === 'closed' || reports_state === 'up' ? 'close' : 'open';
}
