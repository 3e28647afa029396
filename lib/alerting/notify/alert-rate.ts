import { digestOf } from '#lib/access/api-key.ts';
import type { Env } from '#lib/env.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { type Bucket, fullBucket, type Rate, refilled, reserveFrom } from '#lib/platform/sharing/rates.ts';
import { oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';

/** Divisor of the limit of an account: the quotient is the burst of one host. */
const HOST_SHARE = 10;

const ratesOf = (perMinute: number): { account: Rate; host: Rate } => ({
  account: { per_second: perMinute / 60, burst: perMinute },
  host: { per_second: perMinute / 60, burst: Math.max(1, Math.floor(perMinute / HOST_SHARE)) },
});

/**
 * Number of messages that an account can send now, in total or to one host; negative if later send times are reserved.
 * 200 bytes; written per message, expires when unused.
 */
type AlertRateItem = Item & { v: string; bucket: Bucket };

/** A message with alerts. `host`: of its receiver; undefined for NATS and mail. `limit`: messages per minute. */
type RatedMessage = { tenant_id: string; host: string | undefined; limit: number };

/** A message that waits for its reservation. `canWait`: whether a later send time can be reserved, not only now. */
type Request = RatedMessage & { canWait: boolean; waitMs?: number };

/** Requests that wait for the next transaction of their account in this process. */
const waiting = new WeakMap<object, Map<string, Request[]>>();

/** Maximum number of messages per transaction. */
const MAX_TOGETHER = 50;

/**
 * Reserves the next send time within the rates of the account and of the host, and returns the wait until then in ms.
 * @param canWait whether a later send time can be reserved; if false, nothing is reserved when a wait is needed
 */
export async function reserveMessage(env: Env, message: RatedMessage, canWait: boolean): Promise<number> {
  const { table } = env.ports;
  const request: Request = { ...message, canWait };
  const byAccount = waiting.get(table) ?? new Map<string, Request[]>();
  waiting.set(table, byAccount);
  const requests = byAccount.get(message.tenant_id) ?? [];
  byAccount.set(message.tenant_id, [...requests, request]);
  // A burst shares transactions: while one is in flight, the next messages collect.
  await oneAtATime(table, env.keys.alertRate(message.tenant_id, 'account').pk, async () => {
    if (request.waitMs !== undefined) return;
    const all = byAccount.get(message.tenant_id) ?? [];
    const together = [request, ...all.filter((one) => one !== request).slice(0, MAX_TOGETHER - 1)];
    const left = all.filter((one) => !together.includes(one));
    if (left.length > 0) byAccount.set(message.tenant_id, left);
    else byAccount.delete(message.tenant_id);
    await reserveTogether(env, together);
  });
  return request.waitMs!;
}

/** Reserves the send times of messages of one account, in their order, and sets their `waitMs`. */
function reserveTogether({ ports, keys }: Env, requests: readonly Request[]): Promise<void> {
  const [{ tenant_id, limit }] = requests as [Request];
  const rates = ratesOf(limit);
  const hosts = [...new Set(requests.flatMap(({ host }) => host ?? []))];
  const rated = [
    { host: undefined, key: keys.alertRate(tenant_id, 'account'), rate: rates.account },
    ...hosts.map((host) => ({ host, key: keys.alertRate(tenant_id, digestOf(host)), rate: rates.host })),
  ];
  return retryOnConflict(ports, async () => {
    const stored = await ports.table.getMany<AlertRateItem>(rated.map(({ key }) => key));
    const now = ports.clock.now();
    const buckets = rated.map(({ rate }, i) => refilled(stored[i]?.bucket ?? fullBucket(rate, now), rate, now));
    const changed = new Set<number>();
    for (const request of requests) {
      const own = rated.flatMap(({ host }, i) => (host === undefined || host === request.host ? [i] : []));
      const next = own.map((i) => reserveFrom(buckets[i]!, rated[i]!.rate));
      request.waitMs = Math.max(...next.map(({ wait_ms }) => wait_ms));
      if (request.waitMs > 0 && !request.canWait) continue;
      for (const [n, i] of own.entries()) {
        buckets[i] = next[n]!.bucket;
        changed.add(i);
      }
    }
    if (changed.size === 0) return;
    const writes = [...changed].map((i): Write => {
      const [bucket, { key, rate }] = [buckets[i]!, rated[i]!];
      const expires_at = Math.ceil(now / 1000 + (rate.burst - bucket.tokens) / rate.per_second) + 1;
      const put: AlertRateItem = { ...key, v: ports.ids.token(), bucket, expires_at };
      return { put, if: stored[i] ? { version: stored[i].v } : 'absent' };
    });
    return (await ports.table.transact(writes)).ok ? undefined : RETRY;
  });
}
