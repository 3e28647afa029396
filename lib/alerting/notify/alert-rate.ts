import { createHash } from 'node:crypto';
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

/**
 * Reserves the next send time within the rates of the account and of the host. @returns the wait until then in ms
 * @param canWait else only a send time without a wait is reserved
 */
export function reserveMessage(
  { ports, keys }: Env,
  { tenant_id, host, limit }: RatedMessage,
  canWait: boolean,
): Promise<number> {
  const rates = ratesOf(limit);
  const rated = [
    { key: keys.alertRate(tenant_id, 'account'), rate: rates.account },
    ...(host === undefined ? [] : [{ key: keys.alertRate(tenant_id, digestOf(host)), rate: rates.host }]),
  ];
  return oneAtATime(ports.table, rated[0]!.key.pk, () =>
    retryOnConflict(ports, async () => {
      const stored = await ports.table.getMany<AlertRateItem>(rated.map(({ key }) => key));
      const now = ports.clock.now();
      const next = rated.map(({ rate }, i) => nextSendTime(rate, busyUntil(stored[i], now), now));
      const wait_ms = Math.max(...next.map((one) => one.at)) - now;
      if (wait_ms > 0 && !canWait) return wait_ms;
      const writes = rated.map(({ key }, i): Write => {
        const { busy_until } = next[i]!;
        const expires_at = Math.ceil(busy_until / 1000) + 1;
        const put: AlertRateItem = { ...key, v: ports.ids.token(), at: now, busy_until, expires_at };
        return { put, if: stored[i] ? { version: stored[i].v } : 'absent' };
      });
      return (await ports.table.transact(writes)).ok ? wait_ms : RETRY;
    }),
  );
}

const digestOf = (host: string): string => createHash('sha256').update(host).digest('hex').slice(0, 32);
