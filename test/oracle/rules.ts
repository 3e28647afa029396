import { createHash } from 'node:crypto';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf } from '#lib/keys.ts';
import type { Span } from './history.ts';
import { type Inside, type ProbeSeen, type Seen, stalledBetween } from './inside.ts';

/**
 * Rules of the service, implemented from docs/develop/guarantees.md and not from the code of the service. The promises
 * use them as the reference.
 */

export function entityState(checks: Record<string, CheckState>): EntityState {
  const states = Object.values(checks).filter((state) => state !== 'unknown');
  if (states.length === 0) return 'unknown';
  if (states.every((state) => state === 'up')) return 'up';
  return states.every((state) => state === 'down') ? 'down' : 'degraded';
}

/** Grid of the slots (ms). */
const GRID_MS = 50;

/**
 * Returns the phase of the slots of a check or an action: slots are due at this time plus or minus whole intervals
 * (epoch ms). The checks of a cell are due together.
 */
export function phaseOf(id: string, intervalSeconds: number): number {
  const spreadBy = id.startsWith('chk_') ? cellOf(id) : id;
  const share = createHash('sha256').update(spreadBy).digest().readUInt32BE(0) / 2 ** 32;
  return Math.floor((share * intervalSeconds * 1000) / GRID_MS) * GRID_MS;
}

/** Returns every slot of a check or an action in (from, to]. */
export function slotsOf(id: string, intervalSeconds: number, from: number, to: number): number[] {
  const interval = intervalSeconds * 1000;
  const phase = phaseOf(id, intervalSeconds);
  const slots: number[] = [];
  for (let slot = phase + (Math.floor((from - phase) / interval) + 1) * interval; slot <= to; slot += interval)
    slots.push(slot);
  return slots;
}

/**
 * Returns the retries of an unconfirmed check between its last slot up to `at` and the next slot, and that next slot
 * (epoch ms).
 */
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

/**
 * Returns the host to which a pull check sends its probes: the host of its URL or settings, or its DNS server. For a
 * DNS check without its own resolver, returns the name that it looks up.
 */
export function targetOf(check: CheckItem): string {
  const { target_url, config }: { target_url?: string; config: CheckItem['config'] } = check;
  return target_url === undefined
    ? String(config.host ?? config.resolver ?? config.hostname)
    : new URL(target_url).hostname;
}

/** Maximum time from the start of a probe to its request, and from the response to the end of the probe (ms). */
export const NEAR_PROBE_MS = 4_000;

/**
 * Whether a process must discard the failure of this probe because of a stall.
 * @param near time before and after the probe in which a stall counts too (ms): the process can discard the failure,
 * but need not
 */
export function isDiscarded(seen: Seen, { at, ended_at = at, interrupted, timeout_ms }: ProbeSeen, near = 0): boolean {
  const most = Math.max(50, timeout_ms / 10);
  return interrupted === true && stalledBetween(seen, at - near, ended_at + near) > most;
}

/** A slot this close to a change of settings can use the old or the new settings (ms). */
export const NEAR_CHANGE_MS = 20_000;

/** Maximum difference between the clocks of two processes, in either direction (ms). */
const SKEW_MS = 40;
/** Returns that maximum difference for a run whose clocks can also jump (ms). */
export const skewOf = ({ profile: { jumpMs } }: Pick<Inside, 'profile'>): number => SKEW_MS + 2 * jumpMs;

/** Returns the outages that the service has recorded. */
export const outagesOf = ({ table }: Pick<Seen, 'table'>): Span[] =>
  [...table.values()].filter((item) => item.pk.startsWith('OUTAGES#')) as unknown as Span[];

/**
 * Whether a host belongs to the second tenant (neighbor.ts), whose permits or CPU budget can be too small for its
 * probes.
 */
export const isOfNeighbor = (host: string): boolean => /^(hang|search)-/.test(host);
