import { createHash } from 'node:crypto';
import type { Env } from '#lib/env.ts';
import type { Item } from '#lib/platform/ports.ts';
import { oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';

/**
 * Pacing of a URL after a 429 or a timeout: send times are `gap_ms` apart. After three timeouts the circuit is open:
 * one delivery at a time tests the receiver. 200 bytes, written per send time; expires when unused.
 */
type PaceItem = Item & Pace & { v: string };

type Pace = {
  /** Gap between two send times in ms. */
  gap_ms: number;
  /** Earliest send time (epoch ms): end of the last pause, or the last time the gap was halved. */
  not_before: number;
  /** Next free send time (epoch ms). */
  next_at: number;
  timeouts: number;
  /** Epoch ms of the last counted timeout. */
  timed_out_at: number;
};

export type PacedUrl = { tenant_id: string; url: string };

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Factor on the requested pause, because a slightly early request is refused again. */
const MARGIN = 1.1;
/** Gap in ms after the first 429. Most receivers accept one request per second permanently. */
const FIRST_GAP_MS = Math.ceil(MIN_PAUSE_MS * MARGIN);
/** Time in ms that pacing lasts after the last send time. */
const EASE_MS = 30_000;

/** Returns the pause in ms that a 429 requests: Retry-After in seconds or as a date, default 1 s, at most 60 s. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const requested = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return boundedPauseMs(Number.isNaN(requested) ? 0 : requested);
}

/** Limits a requested pause to 1–60 s, in ms. */
export const boundedPauseMs = (requested: number): number => Math.min(Math.max(requested, MIN_PAUSE_MS), MAX_PAUSE_MS);

/** A send time to wait for: `at` in epoch ms. `is_open`: the circuit is open. */
export type Wait = { at: number; why: string; is_open: boolean };

/** A reservation: wait, or send now. `after_timeouts`: the attempt shows whether the receiver responds again. */
type Reservation = { wait: Wait; after_timeouts?: never } | { wait?: never; after_timeouts: boolean };

const SLOWED = 'waits: the receiver limits the rate (429, or 4xx of a mail server)';
const QUEUED = 'waits: the receiver did not respond in time';
const OPEN = 'circuit open: the receiver timed out several times in a row; one delivery at a time tests it';

/** Reserves a send time. @param turn send time (epoch ms) reserved before, if any */
export const reserveSendTime = (env: Env, address: PacedUrl, turn: number | undefined): Promise<Reservation> =>
  change(env, address, (pace, now): PaceChange<Reservation> => {
    if (!pace) return { result: { after_timeouts: false } };
    const after_timeouts = pace.timeouts > 0;
    if (isOpen(pace)) return testReceiver(pace, now);
    if (turn !== undefined && turn <= now && now >= pace.not_before) return { result: { after_timeouts } };
    const { gap_ms, not_before } = eased(pace, now);
    const at = Math.max(pace.next_at, not_before, now);
    const why = after_timeouts ? QUEUED : SLOWED;
    return {
      result: { wait: { at, why, is_open: false } },
      next: { ...pace, gap_ms, not_before, next_at: at + gap_ms },
    };
  });

/** Reserves a send time that is free now, or none; for callers that cannot wait. */
export const reserveSendNow = (env: Env, address: PacedUrl): Promise<Reservation> =>
  change(env, address, (pace, now): PaceChange<Reservation> => {
    if (!pace) return { result: { after_timeouts: false } };
    if (isOpen(pace)) return testReceiver(pace, now);
    const after_timeouts = pace.timeouts > 0;
    const { gap_ms, not_before } = eased(pace, now);
    const at = Math.max(pace.next_at, not_before, now);
    if (at > now) return { result: { wait: { at, why: after_timeouts ? QUEUED : SLOWED, is_open: false } } };
    return { result: { after_timeouts }, next: { ...pace, gap_ms, not_before, next_at: now + gap_ms } };
  });

/** Lets one delivery at a time test the receiver while the circuit is open. */
function testReceiver(pace: Pace, now: number): PaceChange<Reservation> {
  if (now < pace.not_before) return { result: { wait: { at: pace.not_before, why: OPEN, is_open: true } } };
  return { result: { after_timeouts: true }, next: { ...pace, not_before: now + ATTEMPT_MS } };
}

/** Pauses and spaces deliveries after a 429 to a request of `sent_at` (epoch ms). @returns send time of the retry */
export const paceAfterRateLimit = (env: Env, address: PacedUrl, retryMs: number, sent_at: number): Promise<number> =>
  change(env, address, (pace, now) => {
    const pause = Math.ceil(retryMs * MARGIN);
    const not_before = Math.max(pace?.not_before ?? 0, now + pause);
    const gap_ms = pace ? widened(pace, pause, sent_at) : FIRST_GAP_MS;
    const at = Math.max(pace?.next_at ?? 0, not_before);
    return { result: at, next: { gap_ms, not_before, next_at: at + gap_ms, timeouts: 0, timed_out_at: 0 } };
  });

/** Spaces deliveries after a timeout of the request sent at `sent_at` (epoch ms); concurrent attempts count once. */
export const paceAfterTimeout = (env: Env, address: PacedUrl, sent_at: number): Promise<void> =>
  change(env, address, (pace, now) => {
    if (pace && sent_at < pace.timed_out_at) return { result: undefined };
    const timeouts = (pace?.timeouts ?? 0) + 1;
    const not_before = Math.max(timeouts < OPEN_AFTER ? (pace?.not_before ?? 0) : 0, now + pauseAfter(timeouts));
    const next_at = Math.max(timeouts < OPEN_AFTER ? (pace?.next_at ?? 0) : 0, not_before);
    const gap_ms = pace?.gap_ms ?? FIRST_GAP_MS;
    return { result: undefined, next: { gap_ms, not_before, next_at, timeouts, timed_out_at: now } };
  });

/** Closes the circuit after a response: waiting deliveries get send times. */
export const paceAfterSuccess = (env: Env, address: PacedUrl): Promise<void> =>
  change(env, address, (pace, now) => {
    if (!pace || pace.timeouts === 0) return { result: undefined };
    return {
      result: undefined,
      next: { gap_ms: FIRST_GAP_MS, not_before: now, next_at: now, timeouts: 0, timed_out_at: 0 },
    };
  });

/** Consecutive timeouts after which the circuit opens. */
const OPEN_AFTER = 3;
/** Maximum duration in ms of one attempt and its record. */
const ATTEMPT_MS = 15_000;
const FIRST_OPEN_MS = 5_000;

const isOpen = ({ timeouts }: Pace): boolean => timeouts >= OPEN_AFTER;

/** Returns the pause in ms after a number of timeouts: 1.1 s, from the third on 5, 10, 20, 40, then 60 s. */
const pauseAfter = (timeouts: number): number =>
  timeouts < OPEN_AFTER
    ? FIRST_GAP_MS
    : Math.min(MAX_PAUSE_MS, FIRST_OPEN_MS * 2 ** Math.min(timeouts - OPEN_AFTER, 10));

const currentPace = (pace: PaceItem | undefined, now: number): PaceItem | undefined =>
  pace && now <= Math.max(pace.next_at, pace.not_before) + EASE_MS ? pace : undefined;

/**
 * Returns the gap after another 429: doubled, up to the requested pause, if the refused request kept the gap. A refused
 * request during the pause, or the first after it, shows only that the pause was too short.
 */
function widened({ gap_ms, not_before }: Pace, pause: number, sent_at: number): number {
  return sent_at < not_before + gap_ms ? gap_ms : Math.max(gap_ms, Math.min(2 * gap_ms, pause));
}

/** Number of send times without a 429 after which the gap is halved. */
const EASING_TURNS = 10;

/** Halves the gap when due. A past `not_before` has no effect, so it also stores the time of the last halving. */
function eased(pace: Pace, now: number): { gap_ms: number; not_before: number } {
  const { gap_ms, not_before } = pace;
  if (gap_ms <= FIRST_GAP_MS || now < not_before + EASING_TURNS * gap_ms) return { gap_ms, not_before };
  return { gap_ms: Math.max(FIRST_GAP_MS, Math.ceil(gap_ms / 2)), not_before: now };
}

type PaceChange<T> = { result: T; next?: Pace };

/** Changes the present pace as `choose` returns; writes nothing without a `next`. */
function change<T>(
  { ports, keys }: Env,
  { tenant_id, url }: PacedUrl,
  choose: (pace: Pace | undefined, now: number) => PaceChange<T>,
): Promise<T> {
  const key = keys.pace(tenant_id, createHash('sha256').update(url).digest('hex').slice(0, 32));
  return oneAtATime(ports.table, key.pk, () =>
    retryOnConflict(ports, async () => {
      const stored = await ports.table.get<PaceItem>(key);
      const now = ports.clock.now();
      const { result, next } = choose(currentPace(stored, now), now);
      if (!next) return result;
      const expires_at = Math.ceil((Math.max(next.next_at, next.not_before) + EASE_MS) / 1000);
      // `next` can contain properties of the stored item.
      const put: PaceItem = { ...next, ...key, v: ports.ids.token(), expires_at };
      const done = await ports.table.transact([{ put, if: stored ? { version: stored.v } : 'absent' }]);
      return done.ok ? result : RETRY;
    }),
  );
}
