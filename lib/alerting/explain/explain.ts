import type { Context } from '#lib/access/context.ts';
import { historyStart } from '#lib/access/retention.ts';
import type { CauseProgressItem } from '#lib/alerting/cause/cause-progress-item.ts';
import { deliveryView } from '#lib/alerting/configure/views.ts';
import { type AlertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { type DecidedTransition, transitionRecord } from '#lib/alerting/decide/transition.ts';
import { clock } from '#lib/alerting/decide/words.ts';
import { type DeliveryItem, deliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { FeedItem } from '#lib/checks/state/transition.ts';
import { gapRecord } from '#lib/history/runs/gaps.ts';
import { ALERTS, after, stamp, TRANSITIONS } from '#lib/keys.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { isId, timeOf } from '#lib/platform/ids.ts';
import { iso } from '#lib/platform/time.ts';
import { resultView } from '#lib/results/result.ts';
import { explainMoment, progressOf, type ReadMoment, readExplainInput } from './explain-moment.ts';
import { explainTransition } from './explain-transition.ts';
import type { Explanation } from './explanation.ts';

/** So long after a change (ms) it is what a moment is about; later, only while it lasts and is no good news. */
const JUST_CHANGED_MS = 1_000;
/** Alerts about one change that are shown, the first ones. */
const MAX_ALERTS = 10;

/** Why somebody was told of a check at a moment (epoch ms), or nobody was. Throws VALIDATION_ERROR for the future. */
export async function explainCheck(context: Context, check: CheckItem, at: number): Promise<Explanation> {
  if (at > context.ports.clock.now()) throw invalid('at', 'must not lie ahead: what was decided can be explained');
  const last = await lastTransition(context, check, at);
  const read = await readExplainInput(context, check, last, at);
  const isAbout =
    last && (at - Date.parse(last.timestamp) <= JUST_CHANGED_MS || ['down', 'degraded'].includes(last.check_to_state));
  if (isAbout) return aboutTransition(context, { transition: last, check, at, read, isLatest: true });

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

/** Why a change of state was announced, or not. Throws NOT_FOUND. */
export async function explainOne(context: Context, transition: DecidedTransition): Promise<Explanation> {
  const { ports, keys, tenant } = context;
  const check = await ports.table.get<CheckItem>(keys.check(tenant, transition.check_id));
  const at = Date.parse(transition.timestamp);
  const read = check && (await readExplainInput(context, check, transition, at));
  return aboutTransition(context, { transition, check, at, read, isLatest: false });
}

type About = {
  transition: DecidedTransition;
  /** Undefined when it was deleted. */
  check: CheckItem | undefined;
  at: number;
  read: ReadMoment | undefined;
  /** Nothing has changed since, up to `at`. */
  isLatest: boolean;
};

async function aboutTransition(context: Context, about: About): Promise<Explanation> {
  const { transition, check, at, read, isLatest } = about;
  const alerts = await alertsOf(context, transition, isLatest ? at : context.ports.clock.now());
  const { sentence, ...explained } = explainTransition(transition, alerts);
  const progress = isLatest && read ? progressOf(read.moment) : undefined;
  const gap = isLatest ? read?.moment.gap : undefined;
  const by = isLatest && check && untold(check, alerts, at);
  const due = check ? await dueOf(context, check) : [];
  const more = [
    plannedWork(transition, due),
    by,
    progress && `Since then ${progress.sentence}`,
    gap && 'At that moment it was not checked.',
  ];
  return {
    ...(check && read ? viewOf(context, check, read) : NOTHING_LEFT(transition)),
    ...explained,
    sentence: [sentence, ...more].filter(Boolean).join(' '),
    transition: transitionRecord(context, transition),
    evaluations: await evaluationsAt(context, transition, isLatest ? at : context.ports.clock.now()),
    deliveries: await deliveriesIn(context, alerts),
    next: nextOf(due),
  };
}

/** That somebody looks after it, where nobody was there to be told so. */
function untold(check: CheckItem, alerts: readonly AlertItem[], at: number): string | undefined {
  const by = acknowledgementAt(check.alerts, at);
  if (!by || by.at > at || alerts.some(({ kind }) => kind === 'acknowledged')) return undefined;
  return `${by.by} acknowledged it at ${clock(by.at)}.`;
}

type View = Pick<Explanation, 'check_id' | 'at' | 'state' | 'results' | 'gaps'>;

const viewOf = (context: Context, check: CheckItem, { moment, results, gaps }: ReadMoment): View => ({
  check_id: check.id,
  at: iso(moment.at),
  state: moment.state,
  results: results.map((item) => resultView(context, check.id, item)),
  gaps: gaps.map(gapRecord),
});

/** Of a check that was deleted. */
const NOTHING_LEFT = ({ check_id, timestamp, check_to_state }: DecidedTransition): View => ({
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

/** The transition that a path names. Throws NOT_FOUND, also for one whose entity is gone. */
export async function requireTransition(context: Context, id: string): Promise<DecidedTransition> {
  const { ports, keys, tenant, caller } = context;
  const isKept = isId('trn', id) && timeOf(id) >= historyStart(ports.clock.now(), caller.retention_days);
  // Its entity, which says in which bucket the entry stands, is not known by its id.
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

/** What went out about a transition until `until` (epoch ms), in the order of time. */
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

/** What the looks for its cause saw until `until` (epoch ms); none of an alert whose cause was never looked for. */
async function evaluationsAt(
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

/** The deadlines of alerting that stand now, the next one first. */
async function dueOf({ ports, keys, tenant }: Context, { id }: CheckItem): Promise<Due[]> {
  const entries = await ports.table.getMany<DeadlineEntry>(DEADLINES.map((kind) => keys.entry(kind, tenant, id)));
  const due = entries.flatMap((entry, i) => (entry ? [{ what: DEADLINES[i]!, entry }] : []));
  return due.sort((a, b) => a.entry.deadline - b.entry.deadline);
}

const nextOf = ([first]: Due[]): Explanation['next'] =>
  first ? { at: iso(first.entry.deadline), what: first.what } : null;

/** That what it follows from is planned, where its alert is held for that. */
function plannedWork({ alert, sk }: DecidedTransition, due: readonly Due[]): string | undefined {
  const held = due.find(({ what }) => what === 'hold')?.entry.note?.held;
  if (alert.decision !== 'held' || held?.transition_sk !== sk || held.reason !== 'dependency' || !held.window)
    return undefined;
  return `What it follows from is in a maintenance window until ${clock(held.window.until)}.`;
}
