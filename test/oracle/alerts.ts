import { deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { type History, isTaken, type Received } from './history.ts';

/** Attempts that a delivery has (docs/use/alerts.md#deliveries). */
const ATTEMPTS = 3;
/** Failures that no further attempt could mend. */
const IN_VAIN = /deleted|removed|disabled/;

/**
 * Each planned alert is told or ends as a visible failure; nothing else is told, nothing twice without a reason.
 */
export const checkAlerts = (history: History): string[] => [
  ...checkPlans(history),
  ...checkDecisions(history),
  ...checkEnds(history),
  ...checkArrivals(history),
];

/** Whatever was planned is made, and nothing else is. */
function checkPlans({ transitions, alerts, deliveries, over_before, complete_until }: History): string[] {
  const wrong: string[] = [];
  const made = new Set(deliveries.map(({ id }) => id));
  const planned = new Set<string>();
  const plans = [
    ...transitions.map(({ transition_id, alert }) => ({ by: transition_id, ids: alert.deliveries })),
    ...(alerts ?? []).map((alert) => ({ by: alert.id, ids: deliveriesOf(alert) })),
  ];
  for (const { by, ids } of plans) {
    for (const id of ids) {
      planned.add(id);
      if (!made.has(id) && timeOf(id) < over_before.alerts)
        wrong.push(`${by}: delivery ${id} was planned and never made`);
    }
  }
  for (const { id, kind, created_at } of deliveries) {
    const isPlanned = alerts ? kind !== 'test' : kind === 'state_change';
    if (isPlanned && !planned.has(id) && Date.parse(created_at) <= complete_until)
      wrong.push(`${id} was made and never planned`);
  }
  return wrong;
}

/** Where nobody touches checks and channels, every change is told to every channel, but that a new check came up. */
function checkDecisions({ transitions, channels }: History): string[] {
  if (channels === undefined) return [];
  return transitions.flatMap(({ transition_id, cause, check_from_state, check_to_state, alert }) => {
    if (cause !== 'result' && cause !== 'missed_heartbeat') return [`${transition_id} was caused by ${cause}`];
    const initial = check_from_state === 'unknown' && check_to_state === 'up';
    const isRight = initial
      ? alert.decision === 'skipped' && alert.reason === 'initial' && alert.deliveries.length === 0
      : alert.decision === 'planned' && alert.reason === null && new Set(alert.deliveries).size === channels;
    return isRight ? [] : [`${transition_id} decided ${JSON.stringify(alert)}`];
  });
}

/** Deliveries that one message may tell of: of the same group, to the same place. */
const groupOf = ({ group_id, leads_to }: History['deliveries'][number]): string | undefined =>
  group_id && leads_to ? `${group_id} ${leads_to}` : undefined;

/**
 * A delivery ends in time: as sent when somebody took it, or a message of its group at the same place; or as failed
 * after three attempts, with an error.
 */
function checkEnds({ deliveries, received, over_before, failed }: History): string[] {
  const wrong: string[] = [];
  const taken = new Set(received.filter(isTaken).map(({ delivery_id }) => delivery_id));
  const together = new Set(deliveries.filter(({ id }) => taken.has(id)).map(groupOf));
  for (const delivery of deliveries) {
    const { id, kind, status, attempts, error, created_at } = delivery;
    const group = groupOf(delivery);
    const isTold = taken.has(id) || (group !== undefined && together.has(group));
    if (attempts > ATTEMPTS) wrong.push(`${id} counts ${attempts} attempts`);
    if (status === 'sent' && !isTold) wrong.push(`${id} is sent, but nobody took it`);
    if (status === 'failed' && error === '') wrong.push(`${id} failed and does not say why`);
    if (status === 'failed' && failed === 'nothing' && attempts < ATTEMPTS && kind !== 'test' && !IN_VAIN.test(error))
      wrong.push(`${id} failed after ${attempts} attempts: ${error}`);
    // A test over NATS is handed over after it is written down; whoever asked for it got no answer if that failed.
    if (kind === 'test' && failed !== 'nothing') continue;
    const isOver = status === 'sent' || status === 'failed';
    if (!isOver && Date.parse(created_at) < over_before.alerts) wrong.push(`${kind} ${id} is still ${status}`);
  }
  return wrong;
}

/** What arrives is in the log; only the end of a process excuses that it is sent after it was taken, or once more. */
function checkArrivals({ deliveries, received, asked_at, failed, away }: History): string[] {
  const wrong: string[] = [];
  const logged = new Set(deliveries.map(({ id }) => id));
  const restarts = (from: number, to: number) => away.filter((one) => one.to > from && one.to <= to).length;
  for (const [id, arrivals] of Map.groupBy(received, (one) => one.delivery_id)) {
    // A test over http is written down after it, and nobody waits for one that was cut off.
    const isKnown = logged.has(id) || (arrivals[0]!.kind === 'test' && failed !== 'nothing');
    if (!isKnown && arrivals[0]!.at <= asked_at) wrong.push(`${id} was received and is not logged`);
    if (failed === 'anything') continue;
    const taken = arrivals.filter(isTaken);
    const again = taken.filter(({ at }, i) => i > 0 && restarts(taken[i - 1]!.at, at) === 0);
    if (again.length > 0) wrong.push(`${id} was taken, and again at ${again.map(({ at }) => at)} for no reason`);
    const tries = arrivals.filter(isTry).length;
    const most = ATTEMPTS + restarts(arrivals[0]!.at, arrivals.at(-1)!.at);
    if (tries > most) wrong.push(`${id} was tried ${tries} times, ${most} is the most`);
  }
  return wrong;
}

/** To be asked to wait is no attempt. */
const isTry = ({ status }: Received): boolean => status !== 429;
