import { deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { type History, isAccepted, type Received } from './history.ts';

/** Maximum number of attempts of a delivery (docs/use/alerts.md#deliveries). */
const ATTEMPTS = 3;
/** Errors after which a retry is useless. */
const FINAL_ERRORS = /deleted|removed|disabled/;

/**
 * Promise: each planned alert is sent or ends as a visible failure; nothing else is sent, and nothing twice without a
 * reason.
 */
export const checkAlerts = (history: History): string[] => [
  ...checkPlans(history),
  ...checkDecisions(history),
  ...checkEnds(history),
  ...checkArrivals(history),
  ...checkCombined(history),
];

/** Every planned delivery is created, and no other. */
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
        wrong.push(`${by}: delivery ${id} was planned but never created`);
    }
  }
  for (const { id, kind, created_at } of deliveries) {
    const isPlanned = alerts ? kind !== 'test' && kind !== 'status_update' : kind === 'state_change';
    if (isPlanned && !planned.has(id) && Date.parse(created_at) <= complete_until)
      wrong.push(`delivery ${id} was created but never planned`);
  }
  return wrong;
}

/** If checks and channels do not change, every transition is sent to every channel, except a first transition to up. */
function checkDecisions({ transitions, channels }: History): string[] {
  if (channels === undefined) return [];
  return transitions.flatMap(({ transition_id, cause, check_from_state, check_to_state, alert }) => {
    if (cause !== 'result' && cause !== 'missed_heartbeat')
      return [`transition ${transition_id} has the cause ${cause}`];
    const initial = check_from_state === 'unknown' && check_to_state === 'up';
    const isRight = initial
      ? alert.decision === 'skipped' && alert.reason === 'initial' && alert.deliveries.length === 0
      : alert.decision === 'planned' && alert.reason === null && new Set(alert.deliveries).size === channels;
    return isRight ? [] : [`transition ${transition_id} has an unexpected decision: ${JSON.stringify(alert)}`];
  });
}

/** Returns the key of deliveries that one message can cover: same group and destination. */
const groupOf = ({ group_id, leads_to }: History['deliveries'][number]): string | undefined =>
  group_id && leads_to ? `${group_id} ${leads_to}` : undefined;

/**
 * A delivery ends in time. It ends as sent only if a receiver accepted it, the message that it names, or a message of
 * its group at the same destination; otherwise it ends as failed with an error, after three attempts of its message.
 */
function checkEnds({ deliveries, received, over_before, failed }: History): string[] {
  const wrong: string[] = [];
  const taken = new Set(received.filter(isAccepted).map(({ delivery_id }) => delivery_id));
  const together = new Set(deliveries.filter(({ id }) => taken.has(id)).map(groupOf));
  for (const delivery of deliveries) {
    const { id, kind, status, attempts, error, created_at, combined_in, leads_to } = delivery;
    const group = groupOf(delivery);
    const wasAccepted = taken.has(combined_in ?? id) || taken.has(id) || (group !== undefined && together.has(group));
    if (attempts > ATTEMPTS) wrong.push(`delivery ${id} has ${attempts} attempts`);
    if (status === 'sent' && !wasAccepted) wrong.push(`delivery ${id} is sent, but no receiver accepted it`);
    if (status === 'failed' && error === '') wrong.push(`delivery ${id} failed without an error`);
    if (
      status === 'failed' &&
      failed === 'nothing' &&
      attempts < ATTEMPTS &&
      leads_to === undefined &&
      kind !== 'test' &&
      !FINAL_ERRORS.test(error)
    )
      wrong.push(`delivery ${id} failed after ${attempts} attempts: ${error}`);
    // A test over NATS is delivered after it is recorded; its caller got no response if that failed.
    if (kind === 'test' && failed !== 'nothing') continue;
    const isOver = status === 'sent' || status === 'failed';
    if (!isOver && Date.parse(created_at) < over_before.alerts) wrong.push(`${kind} delivery ${id} is still ${status}`);
  }
  return wrong;
}

/**
 * A message contains every alert whose delivery names it. After a crash it can be sent again with other alerts, so the
 * alerts of all its sends count.
 */
function checkCombined({ deliveries, received }: History): string[] {
  const accepted = Map.groupBy(received.filter(isAccepted), ({ delivery_id }) => delivery_id);
  const named = deliveries.flatMap(({ combined_in }) => combined_in || []);
  const combined = Map.groupBy(named, (id) => id);
  return [...combined].flatMap(([id, { length }]) => {
    const most = (accepted.get(id) ?? []).reduce((sum, { count = 1 }) => sum + count, 0);
    return length > most ? [`${length} deliveries name the message ${id}, which contains ${most} alerts`] : [];
  });
}

/**
 * A received alert is logged. Each restart allows another send of an accepted alert, and one attempt beyond the
 * maximum.
 */
function checkArrivals({ deliveries, received, read_at, failed, away }: History): string[] {
  const wrong: string[] = [];
  const logged = new Set(deliveries.map(({ id }) => id));
  const restarts = (from: number, to: number) => away.filter((one) => one.to > from && one.to <= to).length;
  for (const [id, arrivals] of Map.groupBy(received, (one) => one.delivery_id)) {
    // A test over http is recorded after it is sent. If a fault aborts it before, its caller gets no response.
    const isKnown = logged.has(id) || (arrivals[0]!.kind === 'test' && failed !== 'nothing');
    if (!isKnown && arrivals[0]!.at <= read_at) wrong.push(`delivery ${id} was received but is not logged`);
    if (failed === 'anything') continue;
    const taken = arrivals.filter(isAccepted);
    const again = taken.filter(({ at }, i) => i > 0 && restarts(taken[i - 1]!.at, at) === 0);
    if (again.length > 0)
      wrong.push(`delivery ${id} was accepted, and again at ${again.map(({ at }) => at)} without a restart`);
    const tried = arrivals.filter(isAttempt).length;
    const most = ATTEMPTS + restarts(arrivals[0]!.at, arrivals.at(-1)!.at);
    if (tried > most) wrong.push(`delivery ${id} was attempted ${tried} times, at most ${most} are allowed`);
  }
  return wrong;
}

/** Whether a message counts as an attempt: it does not if the response is 429. */
const isAttempt = ({ status }: Received): boolean => status !== 429;
