import { isAccountChannel } from '#lib/alerting/policy/channel-location.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { readDefined } from '#lib/platform/table/pages.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  type DeliveryItem,
  deliveryRecord,
  joinGroup,
  type LastDeliveryItem,
  leaveGroup,
  withAttempt,
} from './delivery-item.ts';

/**
 * The outcome of an attempt. `sent`: `error` names addresses that it did not reach, `affected` is the number of
 * affected entities in the message, `combined_in` the delivery that sent it with others. `slowed`: a 429, not an
 * attempt; `turn`: next send time (epoch ms). `final`: fails without a retry, and the attempt does not count.
 * `orphan`: the channel, its check or its entity was deleted.
 */
export type AttemptOutcome =
  | { status: 'sent'; affected?: number | undefined; combined_in?: string; error?: string }
  | { status: 'slowed'; error: string; turn: number }
  | { status: 'failed'; error: string; final?: boolean; orphan?: boolean };

/** Waits in ms after the first and the second failed attempt (docs/use/alerts.md#deliveries). */
const WAITS_MS = [1_000, 2_000];

/** Whether an attempt ends all deliveries of its message: sent, or out of retries. `final` ends only its own. */
export const isLastOutcome = (outcome: AttemptOutcome, attempts: number): boolean =>
  outcome.status === 'sent' || (outcome.status === 'failed' && !outcome.final && WAITS_MS[attempts] === undefined);

/** Returns the delivery after an attempt: retrying, sent or failed. A test has one attempt. Pure. */
function afterAttempt(delivery: DeliveryItem, outcome: AttemptOutcome, now: number): DeliveryItem {
  const { next_attempt_at: _past, is_reserved: _used, channel, ...rest } = delivery;
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
    const { affected, combined_in = null, error = '' } = outcome;
    const sent = { status: 'sent' as const, sent_at: iso(now), error, combined_in };
    return { ...base, ...sent, ...(affected !== undefined && { affected }) };
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
 * Records an attempt, and the latest delivery of the channel. Concurrent attempts count as one; `sent` is final.
 * `delivery`: as read before the attempt. `first`: set if it is not stored yet; returns further writes of its creation.
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
    const { present, last, lastKey, storesLatest } = await readStored(env, delivery, outcome, known);
    if (!present && !first) return delivery;
    if (present && isSettled(present, v, outcome, delivery)) return present;

    const attempted = { ...(present ?? delivery), attempts: delivery.attempts };
    const after = afterAttempt(attempted, outcome, ports.clock.now());
    const next = { ...after, attempts: Math.max(after.attempts, present?.attempts ?? 0), v };
    const writes: Write[] = [{ put: next, if: present ? { version: present.v } : 'absent' }];
    const latest = storesLatest ? withAttempt(last, next) : undefined;
    if (latest) {
      // An account channel has such an item under every check, and deleting the channel does not delete them.
      const expiry = isAccountChannel(next.channel_id) &&
        next.expires_at !== undefined && { expires_at: next.expires_at };
      const put: LastDeliveryItem = { ...lastKey, v, ...expiry, ...latest };
      writes.push({ put, if: last ? { version: last.v } : 'absent' });
    }
    writes.push(...leaveGroup(env, next));
    if (!present && first) writes.push(...first());
    if (present && isUntouched(present)) writes.push({ delete: keys.unsentDelivery(next.id) });
    if (!(await ports.table.transact(writes)).ok) return RETRY;
    // Outside of the transaction, so that deliveries of several checks do not conflict.
    if (isAccountChannel(next.channel_id)) await writeLastOfChannel(env, next);
    if (next.status === 'failed' && present) await writeLastFailure(env);
    return next;
  });
}

/** Whether no attempt was made and no wait recorded. */
const isUntouched = ({ status, error }: DeliveryItem): boolean => status === 'pending' && error === '';

/** Records once why a delivery waits. Keeps the error of an attempt; only the reason of an open circuit precedes it. */
export async function recordWaiting(
  env: Env,
  delivery: DeliveryItem,
  { why, is_open, changes }: { why: string; is_open: boolean; changes?: Partial<DeliveryItem> },
): Promise<void> {
  const { ports, keys } = env;
  const { error } = delivery;
  const isShown = error.startsWith(why) || (error !== '' && !is_open);
  if (isShown && !changes) return;
  const reason = error === '' ? why : `${why}; last error: ${error}`;
  const next: DeliveryItem = {
    ...delivery,
    ...changes,
    v: ports.ids.token(),
    ...(!isShown && { error: reason, updated_at: iso(ports.clock.now()) }),
  };
  // On a conflict, the other writer has recorded an outcome, which replaces the wait.
  await ports.table.transact([
    { put: next, if: { version: delivery.v } },
    ...joinGroup(env, next),
    ...(isUntouched(delivery) ? [{ delete: keys.unsentDelivery(delivery.id) }] : []),
  ]);
}

/** Reads the stored delivery and the latest of the channel. `storesLatest`: whether check and channel still exist. */
async function readStored(
  { ports, keys }: Env,
  delivery: DeliveryItem,
  outcome: AttemptOutcome,
  known: DeliveryItem | undefined,
) {
  const { tenant_id, check_id, channel_id, id } = delivery;
  const lastKey = keys.lastDelivery(tenant_id, check_id, channel_id);
  const mayBeGone = mayOutliveCheck(delivery, outcome);
  const [last, present, check] = await readDefined<[LastDeliveryItem, DeliveryItem, CheckItem]>(ports.table, [
    lastKey,
    known ? undefined : keys.delivery(tenant_id, id),
    mayBeGone ? keys.check(tenant_id, check_id) : undefined,
  ]);
  const isOrphan = (outcome.status === 'failed' && outcome.orphan === true) || (mayBeGone && !check);
  return { present: known ?? present, last, lastKey, storesLatest: !isOrphan && check_id !== '' };
}

/** Whether the check is possibly deleted already: an item written under it then would never be removed. */
const mayOutliveCheck = ({ kind }: DeliveryItem, outcome: AttemptOutcome): boolean =>
  kind === 'closed' || (outcome.status === 'failed' && outcome.final === true);

/** Whether nothing needs to be written: this outcome is already stored, or one that it must not replace. */
function isSettled(present: DeliveryItem, v: string, outcome: AttemptOutcome, before: DeliveryItem): boolean {
  if (present.v === v || present.status === 'sent') return true;
  if (outcome.status === 'sent') return false;
  const isFinal = outcome.status === 'failed' && outcome.final === true;
  return present.status === 'failed' || (!isFinal && present.attempts !== before.attempts);
}

/** Stores the latest delivery of an account channel; any of several concurrent ones can win. */
async function writeLastOfChannel({ ports, keys }: Env, delivery: DeliveryItem): Promise<void> {
  const { tenant_id, channel_id, expires_at } = delivery;
  const put: LastDeliveryItem = {
    ...keys.lastOfChannel(tenant_id, channel_id),
    v: ports.ids.token(),
    ...(expires_at !== undefined && { expires_at }),
    delivery: deliveryRecord(delivery),
  };
  await ports.table.transact([{ put }]);
}

/** Time of the last failed delivery across all tenants (epoch ms); shown by GET /v1/health. */
type LastFailureItem = Item & { at: number };

async function writeLastFailure({ ports, keys }: Env): Promise<void> {
  const put: LastFailureItem = { ...keys.lastFailure, at: ports.clock.now() };
  await ports.table.transact([{ put }]);
}
