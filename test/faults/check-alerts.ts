import type { DeliveryItem } from '#lib/alerts/deliver/delivery-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { PolicyItem } from '#lib/checks/policy-item.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';
import { isTaken } from './observations.ts';
import { toldOf } from './rules.ts';
import type { Run } from './simulate.ts';

/** Failures that no further attempt could mend. */
const IN_VAIN = /deleted|removed|disabled/;
/** Three attempts with their waits and time-outs, the messages between them, and a receiver that asks to wait (ms). */
const DELIVERED_MS = 240_000;

/**
 * Every planned alert was told or ended as a visible failure, nothing else was told, and nobody believes what is past.
 */
export function checkAlerts(run: Run): string[] {
  const { seen, profile } = run;
  const wrong: string[] = [];
  const items = [...seen.table.values()];
  const deliveries = new Map(
    items.filter((item): item is DeliveryItem => item.pk.includes('#DELIVERIES#')).map((item) => [item.id, item]),
  );
  const taken = new Set(seen.received.filter(isTaken).map(({ delivery_id }) => delivery_id));
  const planned = new Set<string>();

  for (const item of items) {
    if (!item.sk.startsWith('TR#')) continue;
    const { alert, closing, transition_id, timestamp } = item as TransitionItem;
    const isNew = Date.parse(timestamp) > run.end - DELIVERED_MS;
    for (const id of [...alert.deliveries, ...(closing?.deliveries ?? [])]) {
      planned.add(id);
      if (!deliveries.has(id) && !isNew) wrong.push(`${transition_id}: delivery ${id} was planned and never made`);
    }
  }
  for (const { id, kind, status, attempts, error, created_at } of deliveries.values()) {
    if (kind === 'state_change' && !planned.has(id)) wrong.push(`${id} was made and never planned`);
    if (status === 'sent' && !taken.has(id)) wrong.push(`${id} is sent, but nobody took it`);
    if (status === 'failed' && profile.quiet && attempts !== 3 && kind !== 'test' && !IN_VAIN.test(error))
      wrong.push(`${id} failed after ${attempts} attempts: ${error}`);
    const isOver = status === 'sent' || status === 'failed';
    // A test over NATS is handed over after it is written down; whoever asked for it got no answer if that failed.
    if (kind === 'test' && !profile.quiet) continue;
    if (!isOver && Date.parse(created_at) < run.end - DELIVERED_MS) wrong.push(`${kind} ${id} is still ${status}`);
  }
  const handedOver = new Map<string, number>();
  for (const { changes } of seen.commits) {
    for (const { after } of changes) {
      const sent = after?.pk.startsWith('SCHEDULE#') ? (after as DeadlineEntry).note?.send : undefined;
      for (const id of sent ?? []) handedOver.set(id, (handedOver.get(id) ?? 0) + 1);
    }
  }
  const times = new Map<string, number>();
  for (const one of seen.received) {
    const { delivery_id, kind } = one;
    // A test over http is written down after it, and nobody waits for one that was cut off.
    if (!deliveries.has(delivery_id) && (kind !== 'test' || profile.quiet))
      wrong.push(`${delivery_id} was received and is not logged`);
    if (isTaken(one)) times.set(delivery_id, (times.get(delivery_id) ?? 0) + 1);
  }
  for (const [id, count] of times) {
    // Whoever changes the entry that hands a timed alert over, before that is done, has it handed over once more.
    if (count > Math.max(1, handedOver.get(id) ?? 0) && profile.quiet)
      wrong.push(`${id} was taken ${count} times although nothing failed`);
  }
  return [...wrong, ...checkBeliefs(run)];
}

/** Where an alert was planned or held back by a cooldown, the channels know how it stands, or are about to be told. */
function checkBeliefs({ seen, keys }: Run): string[] {
  const items = [...seen.table.values()];
  const transitions = items.filter((item): item is TransitionItem => item.sk.startsWith('TR#'));
  const byCheck = Map.groupBy(transitions, ({ check_id }) => check_id);
  return items.flatMap((item) => {
    const check = item.sk === 'CHECK' ? (item as CheckItem) : undefined;
    const policy = seen.table.get(`${item.pk}|POLICY`) as PolicyItem | undefined;
    if (!check || !policy?.catch_up || policy.silenced || policy.channels.length === 0) return [];
    const last = byCheck.get(check.id)?.reduce((a, b) => (a.sk > b.sk ? a : b));
    const matters = last && (last.alert.reason === null || last.alert.reason === 'cooldown');
    if (!matters || toldOf(check) === check.state) return [];
    if (check.state === 'up' && !policy.notify_on_recovery) return [];
    const entry = keys.entry('catch_up', check.tenant_id, check.entity_id, check.id);
    if (seen.table.has(`${entry.pk}|${entry.sk}`)) return [];
    return [`${check.id} is ${check.state}, its channels believe ${toldOf(check)}`];
  });
}
