import { createHash } from 'node:crypto';
import type { Env } from '#lib/env.ts';
import type { Item } from '#lib/platform/ports.ts';
import { oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';

/**
 * How deliveries to one URL are spaced after its receiver answered 429 or timed out: each takes the next turn, a gap
 * after the one before. After three time-outs in a row the circuit is open: one delivery at a time tries the receiver.
 * About 200 bytes, written once a turn; it expires when no delivery has asked for a while.
 */
type PaceItem = Item & Pace & { v: string };

type Pace = {
  /** Between two turns, ms. */
  gap_ms: number;
  /** Epoch ms: nothing goes before; of the last refusal, and moved on when the gap is halved. */
  not_before: number;
  /** Epoch ms of the next free turn. */
  next_at: number;
  /** Time-outs in a row. */
  timeouts: number;
  /** Epoch ms of the last one that was counted. */
  timed_out_at: number;
};

/** One address of a tenant's channels. */
export type PacedUrl = { tenant_id: string; url: string };

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** A request a little early is refused again, so it is left alone a little longer than it asked for. */
const MARGIN = 1.1;
/** Between two turns after a first 429; one request a second is what most receivers take for long. */
const FIRST_GAP_MS = Math.ceil(MIN_PAUSE_MS * MARGIN);
/** The spacing goes on for this long after the last turn. */
const EASE_MS = 30_000;

/** What a 429 asks for, ms: its Retry-After in seconds or as a date, 1 s without one, at most 60 s. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const asked = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return boundedPauseMs(Number.isNaN(asked) ? 0 : asked);
}

/** How long a receiver is left alone that asks for so many ms: 1 s at least, 60 s at most. */
export const boundedPauseMs = (asked: number): number => Math.min(Math.max(asked, MIN_PAUSE_MS), MAX_PAUSE_MS);

/** A turn to wait for: `at` in epoch ms, and in a sentence why. `is_open`: the receiver does not answer at all. */
export type Wait = { at: number; why: string; is_open: boolean };

/** What a delivery may do now: wait, or go; `after_timeouts`: it finds out whether a receiver answers again. */
type Turn = { wait: Wait; after_timeouts?: never } | { wait?: never; after_timeouts: boolean };

const SLOWED = 'waits for its turn: the receiver asked to be sent less (429, or a mail server 4xx)';
const QUEUED = 'waits for its turn: the receiver did not answer in time';
const OPEN = 'circuit open: the receiver did not answer several times in a row; one delivery at a time tries it again';

/**
 * When a delivery may go.
 * @param turn the turn (epoch ms) that it took before, if any
 */
export const reserveSendTime = (env: Env, address: PacedUrl, turn: number | undefined): Promise<Turn> =>
  change(env, address, (pace, now): PaceChange<Turn> => {
    if (!pace) return { answer: { after_timeouts: false } };
    const after_timeouts = pace.timeouts > 0;
    if (isOpen(pace)) return tryAgain(pace, now);
    if (turn !== undefined && turn <= now && now >= pace.not_before) return { answer: { after_timeouts } };
    const { gap_ms, not_before } = eased(pace, now);
    const at = Math.max(pace.next_at, not_before, now);
    const why = after_timeouts ? QUEUED : SLOWED;
    return {
      answer: { wait: { at, why, is_open: false } },
      next: { ...pace, gap_ms, not_before, next_at: at + gap_ms },
    };
  });

/** For callers that cannot wait: takes a turn that is free now, or none. */
export const reserveSendNow = (env: Env, address: PacedUrl): Promise<Turn> =>
  change(env, address, (pace, now): PaceChange<Turn> => {
    if (!pace) return { answer: { after_timeouts: false } };
    if (isOpen(pace)) return tryAgain(pace, now);
    const after_timeouts = pace.timeouts > 0;
    const { gap_ms, not_before } = eased(pace, now);
    const at = Math.max(pace.next_at, not_before, now);
    if (at > now) return { answer: { wait: { at, why: after_timeouts ? QUEUED : SLOWED, is_open: false } } };
    return { answer: { after_timeouts }, next: { ...pace, gap_ms, not_before, next_at: now + gap_ms } };
  });

/** The circuit is open: one delivery at a time finds out whether the receiver answers again. */
function tryAgain(pace: Pace, now: number): PaceChange<Turn> {
  if (now < pace.not_before) return { answer: { wait: { at: pace.not_before, why: OPEN, is_open: true } } };
  return { answer: { after_timeouts: true }, next: { ...pace, not_before: now + TRIAL_MS } };
}

/**
 * The receiver answered 429: nothing goes to it before what it asked for, and from then on its deliveries are spaced.
 * Answers the turn (epoch ms) of the refused one.
 * @param sent_at epoch ms: when the refused request went out
 */
export const paceAfterRateLimit = (env: Env, address: PacedUrl, retryMs: number, sent_at: number): Promise<number> =>
  change(env, address, (pace, now) => {
    const pause = Math.ceil(retryMs * MARGIN);
    const not_before = Math.max(pace?.not_before ?? 0, now + pause);
    const gap_ms = pace ? widened(pace, pause, sent_at) : FIRST_GAP_MS;
    const at = Math.max(pace?.next_at ?? 0, not_before);
    return { answer: at, next: { gap_ms, not_before, next_at: at + gap_ms, timeouts: 0, timed_out_at: 0 } };
  });

/**
 * The receiver did not answer in time: its deliveries are spaced as after a 429, and from the third time-out in a row
 * on they wait, longer each time. Attempts that were under way side by side count once.
 * @param sent_at epoch ms: when the request went out
 */
export const paceAfterTimeout = (env: Env, address: PacedUrl, sent_at: number): Promise<void> =>
  change(env, address, (pace, now) => {
    if (pace && sent_at < pace.timed_out_at) return { answer: undefined };
    const timeouts = (pace?.timeouts ?? 0) + 1;
    const not_before = Math.max(timeouts < OPEN_AFTER ? (pace?.not_before ?? 0) : 0, now + pauseAfter(timeouts));
    const next_at = Math.max(timeouts < OPEN_AFTER ? (pace?.next_at ?? 0) : 0, not_before);
    const gap_ms = pace?.gap_ms ?? FIRST_GAP_MS;
    return { answer: undefined, next: { gap_ms, not_before, next_at, timeouts, timed_out_at: now } };
  });

/** The receiver answered again: what waits for it takes turns. */
export const paceAfterSuccess = (env: Env, address: PacedUrl): Promise<void> =>
  change(env, address, (pace, now) => {
    if (!pace || pace.timeouts === 0) return { answer: undefined };
    return {
      answer: undefined,
      next: { gap_ms: FIRST_GAP_MS, not_before: now, next_at: now, timeouts: 0, timed_out_at: 0 },
    };
  });

/** Time-outs in a row from which on one delivery at a time tries the receiver. */
const OPEN_AFTER = 3;
/** The longest that one try and its record take. */
const TRIAL_MS = 15_000;
const FIRST_OPEN_MS = 5_000;

const isOpen = ({ timeouts }: Pace): boolean => timeouts >= OPEN_AFTER;

/** 5, 10, 20, 40, 60 s. */
const pauseAfter = (timeouts: number): number =>
  timeouts < OPEN_AFTER
    ? FIRST_GAP_MS
    : Math.min(MAX_PAUSE_MS, FIRST_OPEN_MS * 2 ** Math.min(timeouts - OPEN_AFTER, 10));

/** A pace that is still kept to. */
const stillOn = (pace: PaceItem | undefined, now: number): PaceItem | undefined =>
  pace && now <= Math.max(pace.next_at, pace.not_before) + EASE_MS ? pace : undefined;

/**
 * The gap after another 429. How long a receiver wants to be left alone says nothing about how often it may be asked
 * afterwards: only a refusal that came in spite of the gap doubles it, up to what was asked for. One that went out
 * before the pause was over, or as the first after it, says that the pause was too short.
 */
function widened({ gap_ms, not_before }: Pace, pause: number, sent_at: number): number {
  return sent_at < not_before + gap_ms ? gap_ms : Math.max(gap_ms, Math.min(2 * gap_ms, pause));
}

/** After so many turns without a 429 the gap is halved. */
const EASING_TURNS = 10;

/** A `not_before` in the past forbids nothing, so it also records when the gap was halved last. */
function eased(pace: Pace, now: number): { gap_ms: number; not_before: number } {
  const { gap_ms, not_before } = pace;
  if (gap_ms <= FIRST_GAP_MS || now < not_before + EASING_TURNS * gap_ms) return { gap_ms, not_before };
  return { gap_ms: Math.max(FIRST_GAP_MS, Math.ceil(gap_ms / 2)), not_before: now };
}

type PaceChange<T> = { answer: T; next?: Pace };

/** Changes the present pace as `choose` says; nothing is written without a `next`. */
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
      const { answer, next } = choose(stillOn(stored, now), now);
      if (!next) return answer;
      const expires_at = Math.ceil((Math.max(next.next_at, next.not_before) + EASE_MS) / 1000);
      // `next` may hold members of the item that it was made from.
      const put: PaceItem = { ...next, ...key, v: ports.ids.token(), expires_at };
      const done = await ports.table.transact([{ put, if: stored ? { version: stored.v } : 'absent' }]);
      return done.ok ? answer : RETRY;
    }),
  );
}
