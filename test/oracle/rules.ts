import { createHash } from 'node:crypto';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf } from '#lib/keys.ts';
import type { Span } from './history.ts';
import { type Inside, type ProbeSeen, type Seen, stalledBetween } from './inside.ts';

/**
 * The rules of the service once more, written down from docs/develop/guarantees.md and not from its code: what the
 * checkers judge a run by.
 */

export function entityState(checks: Record<string, CheckState>): EntityState {
  const states = Object.values(checks).filter((state) => state !== 'unknown');
  if (states.length === 0) return 'unknown';
  if (states.every((state) => state === 'up')) return 'up';
  return states.every((state) => state === 'down') ? 'down' : 'degraded';
}

/** Slots lie on this grid (ms). */
const GRID_MS = 50;

/**
 * When the slots of a check or an action are due: this, and each whole interval before and after it (epoch ms). The
 * checks of a cell are due together.
 */
export function phaseOf(id: string, intervalSeconds: number): number {
  const spreadBy = id.startsWith('chk_') ? cellOf(id) : id;
  const share = createHash('sha256').update(spreadBy).digest().readUInt32BE(0) / 2 ** 32;
  return Math.floor((share * intervalSeconds * 1000) / GRID_MS) * GRID_MS;
}

/** Every slot of a check or an action in (from, to]. */
export function slotsOf(id: string, intervalSeconds: number, from: number, to: number): number[] {
  const interval = intervalSeconds * 1000;
  const phase = phaseOf(id, intervalSeconds);
  const slots: number[] = [];
  for (let slot = phase + (Math.floor((from - phase) / interval) + 1) * interval; slot <= to; slot += interval)
    slots.push(slot);
  return slots;
}

/** When an undecided check is probed again in the slot that holds an instant: all of its retries, in epoch ms. */
export function retriesOf(
  {
    id,
    interval_seconds,
    retry_interval_seconds = 0,
  }: Pick<CheckItem, 'id' | 'interval_seconds' | 'retry_interval_seconds'>,
  at: number,
): { retries: number[]; next: number } {
  const [slot = at] = slotsOf(id, interval_seconds, at - interval_seconds * 1000, at);
  const next = slot + interval_seconds * 1000;
  const retries: number[] = [];
  const step = retry_interval_seconds * 1000;
  for (let retry = slot + step; step > 0 && retry < next; retry += step) retries.push(retry);
  return { retries, next };
}

/** What a pull check asks: the host of its target, or a DNS server; the name itself where that is our own one. */
export function targetOf(check: CheckItem): string {
  const { target_url, config }: { target_url?: string; config: CheckItem['config'] } = check;
  return target_url === undefined
    ? String(config.host ?? config.resolver ?? config.hostname)
    : new URL(target_url).hostname;
}

/** From the beginning of a probe until its request is out, and from its answer until the process has it (ms). */
export const NEAR_PROBE_MS = 4_000;

/**
 * Whether a process that saw this probe fail must not judge it: it stood still meanwhile.
 * @param near also shortly before and after, so that it may not judge it
 */
export function isUnjudged(seen: Seen, { at, ended_at = at, interrupted, timeout_ms }: ProbeSeen, near = 0): boolean {
  const most = Math.max(50, timeout_ms / 10);
  return interrupted === true && stalledBetween(seen, at - near, ended_at + near) > most;
}

/** A slot so near to a change of settings may fall to either side of it (ms). */
export const NEAR_CHANGE_MS = 20_000;

/** How far the clocks of two processes may be apart, both ways (ms). */
const SKEW_MS = 40;
/** The same in a run whose clocks jump. */
export const skewOf = ({ profile: { jumpMs } }: Pick<Inside, 'profile'>): number => SKEW_MS + 2 * jumpMs;

/** The outages that the service has noted. */
export const outagesOf = ({ table }: Pick<Seen, 'table'>): Span[] =>
  [...table.values()].filter((item) => item.pk.startsWith('OUTAGES#')) as unknown as Span[];

/** Hosts of another tenant, whose share of the places may be too small for its probes. */
export const isNeighbours = (host: string): boolean => host.startsWith('hang-');
