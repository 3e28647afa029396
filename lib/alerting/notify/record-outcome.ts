import { isOfAccount } from '#lib/alerting/policy/channel-field.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { readSome } from '#lib/platform/table/pages.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type DeliveryItem, deliveryRecord, type LastDeliveryItem, leaveGroup, withAttempt } from './delivery-item.ts';

/**
 * How an attempt ended.
 * - `slowed`: the receiver answered 429, which is no attempt; the next turn is at `turn` (epoch ms).
 * - `affected`: how many entities it said fail with this one.
 * - `final`: nothing was attempted, and trying again cannot help.
 * - `orphan`: the channel is gone, and with it the place of its latest delivery.
 */
export type AttemptOutcome =
  | { status: 'sent'; affected?: number | undefined }
  | { status: 'slowed'; error: string; turn: number }
  | { status: 'failed'; error: string; final?: boolean; orphan?: boolean };

/** Waits after the first and the second failed attempt; there is no third wait (docs/use/alerts.md#deliveries). */
const WAITS_MS = [1_000, 2_000];

/** Whether no attempt follows one that was made, and ended so: it was sent, or was the last one. */
export const isLastOutcome = (outcome: AttemptOutcome, attempts: number): boolean =>
  outcome.status === 'sent' || (outcome.status === 'failed' && !outcome.final && WAITS_MS[attempts] === undefined);

/** Pure: pending, then retrying, ending in sent or failed. A test alert has one attempt. */
function afterAttempt(delivery: DeliveryItem, outcome: AttemptOutcome, now: number): DeliveryItem {
  const { next_attempt_at: _past, channel, ...rest } = delivery;
  const final = outcome.status === 'failed' && outcome.final === true;
  const attempts = delivery.attempts + (final ? 0 : 1);
  if (outcome.status === 'slowed') {
    const { error, turn } = outcome;
    return {
      ...rest,
      status: 'retrying',
      error,
      next_attempt_at: turn,
      updated_at: iso(now),
      ...(channel && { channel }),
    };
  }
  const base = { ...rest, attempts, updated_at: iso(now) };
  if (outcome.status === 'sent') {
    const { affected } = outcome;
    return { ...base, status: 'sent', sent_at: iso(now), error: '', ...(affected !== undefined && { affected }) };
  }
  const wait = delivery.kind === 'test' ? undefined : WAITS_MS[attempts - 1];
  if (final || wait === undefined) return { ...base, status: 'failed', error: outcome.error };
  return {
    ...base,
    status: 'retrying',
    error: outcome.error,
    next_attempt_at: now + wait,
    ...(channel && { channel }),
  };
}

/**
 * Writes the outcome of an attempt, and the channel's latest delivery unless a newer one is there. When two deliverers
 * make the same attempt, the two count as one, and `sent` stays sent: no delivery gets more attempts than its rule
 * allows.
 * @param delivery as it was read before the attempt; read again only if another writer was faster
 * @param first the delivery was attempted before it was ever stored: this writes it for the first time, and that beside
 */
export function recordOutcome(
  env: Env,
  delivery: DeliveryItem,
  outcome: AttemptOutcome,
  first?: () => Write[],
): Promise<DeliveryItem> {
  const { ports, keys } = env;
  const v = ports.ids.token();
  return retryOnConflict(ports, async (tries) => {
    const known = tries === 0 && !first ? delivery : undefined;
    const { present, last, lastKey, hasPlace } = await stored(env, delivery, outcome, known);
    if (!present && !first) return delivery;
    if (present && isSettled(present, v, outcome, delivery)) return present;

    const attempted = { ...(present ?? delivery), attempts: delivery.attempts };
    const after = afterAttempt(attempted, outcome, ports.clock.now());
    const next = { ...after, attempts: Math.max(after.attempts, present?.attempts ?? 0), v };
    const writes: Write[] = [{ put: next, if: present ? { version: present.v } : 'absent' }];
    const latest = hasPlace ? withAttempt(last, next) : undefined;
    if (latest) {
      // A channel of the account leaves one under every check, which nobody deletes with it.
      const expiry = isOfAccount(next.channel_id) && next.expires_at !== undefined && { expires_at: next.expires_at };
      const put: LastDeliveryItem = { ...lastKey, v, ...expiry, ...latest };
      writes.push({ put, if: last ? { version: last.v } : 'absent' });
    }
    writes.push(...leaveGroup(env, next));
    if (!present && first) writes.push(...first());
    if (present && isUntouched(present)) writes.push({ delete: keys.unsentDelivery(next.id) });
    if (!(await ports.table.transact(writes)).ok) return RETRY;
    // Apart from the transaction, so that deliveries of several checks do not wait for each other.
    if (isOfAccount(next.channel_id)) await noteLastOfChannel(env, next);
    if (next.status === 'failed' && present) await noteFailure(env);
    return next;
  });
}

/** Whether no deliverer has looked at it yet. */
const isUntouched = ({ status, error }: DeliveryItem): boolean => status === 'pending' && error === '';

/**
 * Writes into the delivery log why a delivery waits, once. The error of an attempt stays, unless the circuit is open:
 * then both are shown. The delivery leaves the list of the unsent ones.
 */
export async function recordWaiting(
  { ports, keys }: Env,
  delivery: DeliveryItem,
  { why, is_open }: { why: string; is_open: boolean },
): Promise<void> {
  const { error } = delivery;
  if (error.startsWith(why) || (error !== '' && !is_open)) return;
  const now = iso(ports.clock.now());
  const reason = error === '' ? why : `${why}; before that: ${error}`;
  const next: DeliveryItem = { ...delivery, v: ports.ids.token(), error: reason, updated_at: now };
  // On a conflict the other write, an outcome, says more.
  await ports.table.transact([
    { put: next, if: { version: delivery.v } },
    ...(isUntouched(delivery) ? [{ delete: keys.unsentDelivery(delivery.id) }] : []),
  ]);
}

/**
 * What is stored of a delivery; `hasPlace`: its channel still exists, and so does the item of its latest delivery.
 * @param known the delivery as stored, if it was read before
 */
async function stored(
  { ports, keys }: Env,
  delivery: DeliveryItem,
  outcome: AttemptOutcome,
  known: DeliveryItem | undefined,
) {
  const { tenant_id, check_id, channel_id, id } = delivery;
  const lastKey = keys.lastDelivery(tenant_id, check_id, channel_id);
  const mayBeGone = mayOutliveCheck(delivery, outcome);
  const [last, present, check] = await readSome<[LastDeliveryItem, DeliveryItem, CheckItem]>(ports.table, [
    lastKey,
    known ? undefined : keys.delivery(tenant_id, id),
    mayBeGone ? keys.check(tenant_id, check_id) : undefined,
  ]);
  const isOrphan = (outcome.status === 'failed' && outcome.orphan === true) || (mayBeGone && !check);
  return { present: known ?? present, last, lastKey, hasPlace: !isOrphan && check_id !== '' };
}

/** Whether the check may be reclaimed already: what is written under it then would never be removed. */
const mayOutliveCheck = ({ kind }: DeliveryItem, outcome: AttemptOutcome): boolean =>
  kind === 'closed' || (outcome.status === 'failed' && outcome.final === true);

/** Whether nothing is left to write: this outcome is stored already, or one that it may not replace. */
function isSettled(present: DeliveryItem, v: string, outcome: AttemptOutcome, before: DeliveryItem): boolean {
  if (present.v === v || present.status === 'sent') return true;
  if (outcome.status === 'sent') return false;
  const isFinal = outcome.status === 'failed' && outcome.final === true;
  return present.status === 'failed' || (!isFinal && present.attempts !== before.attempts);
}

/** What was sent to a channel of the account of late: of several at once any may stay. */
async function noteLastOfChannel({ ports, keys }: Env, delivery: DeliveryItem): Promise<void> {
  const { tenant_id, channel_id, reports_state, expires_at } = delivery;
  const put: LastDeliveryItem = {
    ...keys.lastOfChannel(tenant_id, channel_id),
    v: ports.ids.token(),
    ...(expires_at !== undefined && { expires_at }),
    delivery: deliveryRecord(delivery),
    reports_state,
  };
  await ports.table.transact([{ put }]);
}

/** When a delivery last failed, whosever it was (epoch ms); GET /v1/health shows it. */
type LastFailureItem = Item & { at: number };

async function noteFailure({ ports, keys }: Env): Promise<void> {
  const put: LastFailureItem = { ...keys.lastFailure, at: ports.clock.now() };
  await ports.table.transact([{ put }]);
}
