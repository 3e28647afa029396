import { digestOf } from '#lib/access/api-key.ts';
import type { Env } from '#lib/env.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { pastOrZero } from '#lib/platform/time.ts';

/** Rate of messages: one per `gap_ms`, and a burst of `burst` messages after a pause. */
type MessageRate = { gap_ms: number; burst: number };

/** Part of the limit of an account that one host receives as a burst. */
const HOST_SHARE = 10;

/** Returns the rates of an account with a limit per minute, and of one host that it sends to. */
const ratesOf = (perMinute: number): { account: MessageRate; host: MessageRate } => {
  const gap_ms = 60_000 / perMinute;
  return {
    account: { gap_ms, burst: perMinute },
    host: { gap_ms, burst: Math.max(1, Math.floor(perMinute / HOST_SHARE)) },
  };
};

/**
 * Returns the first time at or after `now` at which a message is within the rate, and the next value of `busy_until`.
 * Pure. @param busy_until epoch ms: end of the gaps of all messages so far; 0 without one
 */
export function nextSendTime({ gap_ms, burst }: MessageRate, busy_until: number, now: number) {
  return {
    at: Math.ceil(Math.max(now, busy_until - (burst - 1) * gap_ms)),
    busy_until: Math.max(busy_until, now) + gap_ms,
  };
}

/**
 * Rate of an account, or of one host that it sends to, written at `at` (epoch ms). 200 bytes; written per message,
 * expires when unused.
 */
type AlertRateItem = Item & { v: string; at: number; busy_until: number };

/** Returns the stored `busy_until`; 0 if a clock that was ahead wrote it. */
const busyUntil = (item: AlertRateItem | undefined, now: number): number =>
  item && pastOrZero(item.at, now) > 0 ? item.busy_until : 0;

/** A message with alerts. `host`: of its receiver; undefined if the operator chose it. `limit`: messages per minute. */
type RatedMessage = { tenant_id: string; host: string | undefined; limit: number };

/** A message that waits for its reservation. `canWait`: else only a send time without a wait is reserved. */
type Request = RatedMessage & { canWait: boolean; waitMs?: number };

/** Requests that wait for the next transaction of their account in this process. */
const waiting = new WeakMap<object, Map<string, Request[]>>();

/** Maximum number of messages per transaction. */
const MAX_TOGETHER = 50;

/**
 * Reserves the next send time within the rates of the account and of the host. @returns the wait until then in ms
 * @param canWait else only a send time without a wait is reserved
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
    const busy = stored.map((item) => busyUntil(item, now));
    const changed = new Set<number>();
    for (const request of requests) {
      const own = rated.flatMap(({ host }, i) => (host === undefined || host === request.host ? [i] : []));
      const next = own.map((i) => nextSendTime(rated[i]!.rate, busy[i]!, now));
      request.waitMs = Math.max(...next.map(({ at }) => at)) - now;
      if (request.waitMs > 0 && !request.canWait) continue;
      for (const [n, i] of own.entries()) {
        busy[i] = next[n]!.busy_until;
        changed.add(i);
      }
    }
    if (changed.size === 0) return;
    const writes = [...changed].map((i): Write => {
      const busy_until = busy[i]!;
      const expires_at = Math.ceil(busy_until / 1000) + 1;
      const put: AlertRateItem = { ...rated[i]!.key, v: ports.ids.token(), at: now, busy_until, expires_at };
      return { put, if: stored[i] ? { version: stored[i].v } : 'absent' };
    });
    return (await ports.table.transact(writes)).ok ? undefined : RETRY;
  });
}
