import type { Context } from '#lib/access/context.ts';
import { historyStart } from '#lib/access/retention.ts';
import type { CauseProgressItem } from '#lib/alerting/cause/cause-progress-item.ts';
import { deliveryView } from '#lib/alerting/configure/views.ts';
import { type AlertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { timeText } from '#lib/alerting/decide/fact-texts.ts';
import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { type DecidedTransition, transitionRecord } from '#lib/alerting/decide/transition.ts';
import { type DeliveryItem, deliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { FeedItem } from '#lib/checks/state/transition.ts';
import { gapRecord } from '#lib/history/results/gaps.ts';
import { ALERTS, after, stamp, TRANSITIONS } from '#lib/keys.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { isId, timeOf } from '#lib/platform/ids.ts';
import { iso } from '#lib/platform/time.ts';
import { resultView } from '#lib/results/result-record.ts';
import { explainMoment, progressOf, type ReadMoment, readExplainInput } from './explain-moment.ts';
import { explainTransition } from './explain-transition.ts';
import type { Explanation } from './explanation.ts';

/** Time (ms) after a change during which `explainCheck` explains it; later, only a change to down or degraded. */
const JUST_CHANGED_MS = 1_000;
/** Maximum number of alerts to read from the time of a change on, oldest first. */
const MAX_ALERTS = 10;

/** Explains the alerting of a check at a time (epoch ms). @throws AppError VALIDATION_ERROR for the future */
export async function explainCheck(context: Context, check: CheckItem, at: number): Promise<Explanation> {
  if (at > context.ports.clock.now()) throw invalid('at', 'must not be in the future');
  const last = await lastTransition(context, check, at);
  const read = await readExplainInput(context, check, last, at);
  const explainsChange =
    last && (at - Date.parse(last.timestamp) <= JUST_CHANGED_MS || ['down', 'degraded'].includes(last.check_to_state));
  if (explainsChange) return aboutTransition(context, { transition: last, check, at, read, isForTime: true });

  const { next, ...explained } = explainMoment(read.moment);
  return {
    ...viewOf(context, check, read),
    ...explained,
    remedy: '',
    rules: [],
    transition: last ? transitionRecord(context, last) : null,
    evaluations: [],
    deliveries: [],
    next: next ? { at: iso(next.at), what: next.what } : null,
  };
}

/** Explains the alert decision of a state change. */
export async function explainStateChange(context: Context, transition: DecidedTransition): Promise<Explanation> {
  const { ports, keys, tenant } = context;
  const check = await ports.table.get<CheckItem>(keys.check(tenant, transition.check_id));
  const at = Date.parse(transition.timestamp);
  const read = check && (await readExplainInput(context, check, transition, at));
  return aboutTransition(context, { transition, check, at, read, isForTime: false });
}

type About = {
  transition: DecidedTransition;
  check: CheckItem | undefined;
  at: number;
  read: ReadMoment | undefined;
  /** Whether to explain the check at the time `at`; otherwise the transition, with everything that followed it. */
  isForTime: boolean;
};

async function aboutTransition(context: Context, about: About): Promise<Explanation> {
  const { transition, check, at, read, isForTime } = about;
  const alerts = await alertsOf(context, transition, isForTime ? at : context.ports.clock.now());
  const { transition_id, escalation } = check?.alerts.episode ?? {};
  const present = transition_id === transition.transition_id ? escalation?.unreached : undefined;
  const { sentence, ...explained } = explainTransition(transition, alerts, present);
  const progress = isForTime && read ? progressOf(read.moment) : undefined;
  const gap = isForTime ? read?.moment.gap : undefined;
  const acknowledged = isForTime && check && acknowledgementSentence(check, alerts, at);
  const due = check ? await dueOf(context, check) : [];
  const more = [
    windowSentence(transition, due),
    acknowledged,
    progress && `Since then: ${progress.sentence}`,
    gap && 'At that time it was not checked.',
  ];
  return {
    ...(check && read ? viewOf(context, check, read) : viewOfDeleted(transition)),
    ...explained,
    sentence: [sentence, ...more].filter(Boolean).join(' '),
    transition: transitionRecord(context, transition),
    evaluations: await evaluationsOf(context, transition, isForTime ? at : context.ports.clock.now()),
    deliveries: await deliveriesIn(context, alerts),
    next: nextOf(due),
  };
}

/** Returns the sentence about the acknowledgement, if no alert reported it. */
function acknowledgementSentence(check: CheckItem, alerts: readonly AlertItem[], at: number): string | undefined {
  const by = acknowledgementAt(check.alerts, at);
  if (!by || by.at > at || alerts.some(({ kind }) => kind === 'acknowledged')) return undefined;
  return `Acknowledged by ${by.by} at ${timeText(by.at)}.`;
}

type View = Pick<Explanation, 'check_id' | 'at' | 'state' | 'results' | 'gaps'>;

const viewOf = (context: Context, check: CheckItem, { moment, results, gaps }: ReadMoment): View => ({
  check_id: check.id,
  at: iso(moment.at),
  state: moment.state,
  results: results.map((item) => resultView(context, check.id, item)),
  gaps: gaps.map(gapRecord),
});

const viewOfDeleted = ({ check_id, timestamp, check_to_state }: DecidedTransition): View => ({
  check_id,
  at: timestamp,
  state: check_to_state,
  results: [],
  gaps: [],
});

async function lastTransition(
  { ports, keys, tenant }: Context,
  check: CheckItem,
  at: number,
): Promise<DecidedTransition | undefined> {
  const { items } = await ports.table.query<DecidedTransition>({
    partition: keys.ofCheck(tenant, check.id),
    from: TRANSITIONS,
    to: after(`${TRANSITIONS}${stamp(at)}`),
    descending: true,
    limit: 1,
  });
  return items[0];
}

/** Finds a transition by its id. @throws AppError NOT_FOUND also if its entity was deleted */
export async function requireTransition(context: Context, id: string): Promise<DecidedTransition> {
  const { ports, keys, tenant, caller } = context;
  const isKept = isId('trn', id) && timeOf(id) >= historyStart(ports.clock.now(), caller.retention_days);
  // The id does not contain the entity, which decides the bucket.
  const sk = `${stamp(timeOf(id))}#${id}`;
  const places = isKept ? keys.buckets.map((bucket) => ({ pk: keys.feed(tenant, bucket), sk })) : [];
  const entry = (await ports.table.getMany<FeedItem>(places)).find((item) => item !== undefined);
  if (!entry) throw notFound(`Transition ${id}`);
  const [transition, entity] = await ports.table.getMany<DecidedTransition>([
    { pk: keys.ofCheck(tenant, entry.check_id), sk: entry.transition_sk },
    keys.entity(tenant, entry.entity_id),
  ]);
  if (!transition || !entity) throw notFound(`Transition ${id}`);
  return transition;
}

/** Reads the alerts about a transition up to `until` (epoch ms), oldest first. */
async function alertsOf(
  { ports, keys, tenant }: Context,
  { check_id, transition_id, timestamp }: DecidedTransition,
  until: number,
): Promise<AlertItem[]> {
  const { items } = await ports.table.query<AlertItem>({
    partition: keys.ofCheck(tenant, check_id),
    from: `${ALERTS}${stamp(Date.parse(timestamp))}`,
    to: after(`${ALERTS}${stamp(until)}`),
    limit: MAX_ALERTS,
  });
  return items.filter((item) => item.transition_id === transition_id);
}

async function deliveriesIn(context: Context, alerts: readonly AlertItem[]): Promise<Explanation['deliveries']> {
  const { ports, keys, tenant } = context;
  const ids = alerts.flatMap(deliveriesOf);
  const items = await ports.table.getMany<DeliveryItem>(ids.map((id) => keys.delivery(tenant, id)));
  return items.flatMap((item) => (item ? [deliveryView(context, deliveryRecord(item))] : []));
}

/** Reads the evaluations of the cause of a failure up to `until` (epoch ms). */
async function evaluationsOf(
  { ports, keys, tenant }: Context,
  { check_id, sk, decided_on }: DecidedTransition,
  until: number,
): Promise<Explanation['evaluations']> {
  if (!decided_on.dependencies) return [];
  const hold = await ports.table.get<CauseProgressItem>(keys.hold(tenant, check_id, sk));
  return (hold?.evaluations ?? [])
    .filter(({ at }) => at <= until)
    .map(({ at, ancestors, ...rest }) => ({
      at: iso(at),
      ...rest,
      ancestors: ancestors.map(({ known_at, ...one }) => ({
        ...one,
        at: known_at === undefined ? null : iso(known_at),
      })),
    }));
}

const DEADLINES = ['reminder', 'late', 'escalation', 'hold'] as const;
type Due = { what: (typeof DEADLINES)[number]; entry: DeadlineEntry };

/** Reads the present deadlines of alerting, the next one first. */
async function dueOf({ ports, keys, tenant }: Context, { id }: CheckItem): Promise<Due[]> {
  const entries = await ports.table.getMany<DeadlineEntry>(DEADLINES.map((kind) => keys.entry(kind, tenant, id)));
  const due = entries.flatMap((entry, i) => (entry ? [{ what: DEADLINES[i]!, entry }] : []));
  return due.sort((a, b) => a.entry.deadline - b.entry.deadline);
}

const nextOf = ([first]: Due[]): Explanation['next'] =>
  first ? { at: iso(first.entry.deadline), what: first.what } : null;

function windowSentence({ alert, sk }: DecidedTransition, due: readonly Due[]): string | undefined {
  const held = due.find(({ what }) => what === 'hold')?.entry.note?.held;
  if (alert.decision !== 'held' || held?.transition_sk !== sk || held.reason !== 'dependency' || !held.window)
    return undefined;
  return `Its root cause is in a maintenance window until ${timeText(held.window.until)}.`;
}
