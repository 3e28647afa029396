import { createHash } from 'node:crypto';
import type { Keys } from '#lib/keys.ts';
import { oneAtATime } from '#lib/platform/lock.ts';
import type { Item, Ports } from '#lib/platform/ports.ts';
import { AGAIN, untilDone } from '#lib/platform/retry.ts';

/**
 * How deliveries to one URL are spaced after its receiver asked for it (429): each takes the next turn, a gap after
 * the one before. About 200 bytes, written once a turn; forgotten when nobody has asked for a while.
 */
export type PaceItem = Item & {
  v: string;
  /** Between two turns, ms. */
  gap_ms: number;
  /** Epoch ms: nothing goes before; of the last 429, and moved on when the gap is halved. */
  not_before: number;
  /** Epoch ms of the next free turn. */
  next_at: number;
};

type World = { ports: Ports; keys: Keys };
/** One address of a tenant's channels. */
export type Address = { tenant_id: string; url: string };

const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A request a little early is refused again, so it is left alone a little longer than it asked for. */
const MARGIN = 1.1;
/** Between two turns after a first 429; what most receivers take for long is one request a second. */
const FIRST_GAP_MS = Math.ceil(SHORTEST_PAUSE_MS * MARGIN);
/** After the last turn the spacing goes on for so long. */
const EASE_MS = 30_000;

/** What a 429 asks for, ms: its Retry-After in seconds or as a date, 1 s without one, at most 60 s. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const asked = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Math.min(Math.max(Number.isNaN(asked) ? 0 : asked, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

/**
 * When a delivery may go: undefined for now, else the epoch ms of the turn that it has just taken.
 * @param turn the turn that it took before, if any
 */
export const takeTurn = (world: World, address: Address, turn: number | undefined): Promise<number | undefined> =>
  change(world, address, (stored, now) => {
    const pace = stillOn(stored, now);
    if (!pace || (turn !== undefined && turn <= now && now >= pace.not_before)) return undefined;
    const { gap_ms, not_before } = eased(pace, now);
    return { at: Math.max(pace.next_at, not_before, now), gap_ms, not_before };
  });

/**
 * For who cannot wait: takes the turn that is free now, or none.
 * @returns undefined when it may go, else the epoch ms of the next free turn
 */
export async function turnNow(world: World, address: Address): Promise<number | undefined> {
  let next: number | undefined;
  await change(world, address, (stored, now) => {
    const pace = stillOn(stored, now);
    const { gap_ms, not_before } = pace ? eased(pace, now) : { gap_ms: 0, not_before: now };
    const free = Math.max(pace?.next_at ?? 0, not_before, now);
    next = free > now ? free : undefined;
    return pace && next === undefined ? { at: now, gap_ms, not_before } : undefined;
  });
  return next;
}

/**
 * The receiver answered 429: nothing goes to it before what it asked for, and from then on its deliveries are spaced.
 * Answers the turn (epoch ms) of the refused one.
 * @param sent_at epoch ms: when the refused request went out
 */
export async function slowDown(world: World, address: Address, retryMs: number, sent_at: number): Promise<number> {
  const at = await change(world, address, (stored, now) => {
    const pace = stillOn(stored, now);
    const pause = Math.ceil(retryMs * MARGIN);
    const not_before = Math.max(pace?.not_before ?? 0, now + pause);
    const gap_ms = pace ? widened(pace, pause, sent_at) : FIRST_GAP_MS;
    return { at: Math.max(pace?.next_at ?? 0, not_before), gap_ms, not_before };
  });
  return at!;
}

const stillOn = (pace: PaceItem | undefined, now: number): PaceItem | undefined =>
  pace && now <= Math.max(pace.next_at, pace.not_before) + EASE_MS ? pace : undefined;

/**
 * The gap after another 429. How long a receiver wants to be left alone says nothing about how often it may be asked
 * afterwards: only a refusal that came in spite of the gap doubles it, up to what was asked for. One that went out
 * before the pause was over, or as the first after it, says that the pause was too short.
 */
function widened({ gap_ms, not_before }: PaceItem, pause: number, sent_at: number): number {
  return sent_at < not_before + gap_ms ? gap_ms : Math.max(gap_ms, Math.min(2 * gap_ms, pause));
}

/** After so many turns without a 429 the gap is halved. */
const EASING_TURNS = 10;

/** What is past forbids nothing, so that `not_before` also holds when the gap was halved last. */
function eased(pace: PaceItem, now: number): { gap_ms: number; not_before: number } {
  const { gap_ms, not_before } = pace;
  if (gap_ms <= FIRST_GAP_MS || now < not_before + EASING_TURNS * gap_ms) return { gap_ms, not_before };
  return { gap_ms: Math.max(FIRST_GAP_MS, Math.ceil(gap_ms / 2)), not_before: now };
}

type Turn = { at: number; gap_ms: number; not_before: number };

/** Takes the turn that `choose` finds in the present pace; its undefined takes none and writes nothing. */
function change(
  { ports, keys }: World,
  { tenant_id, url }: Address,
  choose: (pace: PaceItem | undefined, now: number) => Turn | undefined,
): Promise<number | undefined> {
  const key = keys.pace(tenant_id, createHash('sha256').update(url).digest('hex').slice(0, 32));
  return oneAtATime(ports.table, key.pk, () =>
    untilDone(ports, async () => {
      const pace = await ports.table.get<PaceItem>(key);
      const turn = choose(pace, ports.clock.now());
      if (!turn) return undefined;
      const { at, gap_ms, not_before } = turn;
      const next_at = at + gap_ms;
      const expires_at = Math.ceil((next_at + EASE_MS) / 1000);
      const put: PaceItem = { ...key, v: ports.ids.token(), expires_at, gap_ms, not_before, next_at };
      const done = await ports.table.transact([{ put, if: pace ? { version: pace.v } : 'absent' }]);
      return done.ok ? at : AGAIN;
    }),
  );
}
