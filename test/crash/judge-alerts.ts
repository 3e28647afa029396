import { CHANNELS } from './fleet.ts';
import type { Life } from './lives.ts';
import type { Arrival } from './outside.ts';
import type { Story } from './told.ts';

/** Attempts that a delivery has (docs/CONTRACT.md#deliveries). */
const ATTEMPTS = 3;

/** An alert was taken at that moment: answered 2xx, whether or not the service lived to hear of it. */
export const isTaken = ({ status }: Arrival): boolean => status >= 200 && status < 300;

/**
 * What was planned, told and received of alerts.
 * @param until epoch ms: what was planned before is over by now
 */
export function judgeAlerts(story: Story, lives: Life[], until: number): string[] {
  const { feed, deliveries, received } = story;
  const wrong = feed.flatMap(judgeDecision);
  const planned = feed.filter((one) => Date.parse(one.timestamp) < until).flatMap((one) => one.alert.deliveries);
  for (const id of planned) if (!deliveries.has(id)) wrong.push(`delivery ${id} was planned and never made`);

  const arrivals = Map.groupBy(received, (one) => one.id);
  for (const delivery of deliveries.values()) wrong.push(...judgeDelivery(delivery, until));
  for (const [id, same] of arrivals) {
    if (!deliveries.has(id)) wrong.push(`something arrived as ${id}, which no log knows`);
    wrong.push(...judgeRepeats(id, same, lives));
  }
  return wrong;
}

function judgeDecision({ id, cause, alert }: Story['feed'][number]): string[] {
  const { decision, reason, deliveries } = alert;
  if (cause !== 'result' && cause !== 'silence') return [`transition ${id} was caused by ${cause}`];
  const isRight =
    decision === 'planned'
      ? reason === null && new Set(deliveries).size === CHANNELS
      : reason === 'initial' && deliveries.length === 0;
  return isRight ? [] : [`transition ${id} decided ${JSON.stringify(alert)}`];
}

function judgeDelivery(delivery: Story['feed'][number], until: number): string[] {
  const { id, status, attempts, error, created_at } = delivery;
  const wrong: string[] = [];
  if (attempts > ATTEMPTS) wrong.push(`delivery ${id} counts ${attempts} attempts`);
  if (status === 'sent') return wrong;
  if (status === 'failed') return error === '' ? [...wrong, `delivery ${id} failed and says nothing of it`] : wrong;
  if (Date.parse(created_at) < until) wrong.push(`delivery ${id} of ${created_at} is still ${status}`);
  return wrong;
}

/** Deliveries that count as sent and that nobody took. */
export function judgeArrivals({ deliveries }: Story, arrivals: Arrival[]): string[] {
  const taken = new Set(arrivals.filter(isTaken).map((one) => one.id));
  return [...deliveries.values()]
    .filter((one) => one.status === 'sent' && !taken.has(one.id))
    .map((one) => `delivery ${one.id} counts as sent and never arrived`);
}

/**
 * Only a crash excuses that an alert is sent after it was taken, and that it is tried more often than its rule says.
 */
function judgeRepeats(id: string, arrivals: Arrival[], lives: Life[]): string[] {
  const wrong: string[] = [];
  const startsBetween = (from: number, to: number) =>
    lives.filter((one) => one.spawned_at > from && one.spawned_at <= to);
  const taken = arrivals.filter(isTaken);
  for (const [i, { at }] of taken.entries()) {
    const before = taken[i - 1]?.at;
    if (before !== undefined && startsBetween(before, at).length === 0)
      wrong.push(`delivery ${id} was taken at ${before} and sent again at ${at} in the same life`);
  }
  const most = ATTEMPTS + startsBetween(arrivals[0]!.at, arrivals.at(-1)!.at).length;
  if (arrivals.length > most) wrong.push(`delivery ${id} was tried ${arrivals.length} times, ${most} is the most`);
  return wrong;
}

/** How often alerts were taken beyond the first time, delivery by delivery. */
export function duplicatesOf(received: Arrival[]): number {
  const taken = received.filter(isTaken);
  return taken.length - new Set(taken.map((one) => one.id)).size;
}
