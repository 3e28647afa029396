import { type Signal, signal } from '@preact/signals';
import type { EntityBucket } from '#lib/history/rollups/buckets.ts';

type UptimesWorld = {
  now(): number;
  after(ms: number, run: () => void): () => void;
  get<T>(path: string): Promise<T>;
};

const DAY_MS = 86_400_000;
const DAYS = 30;
const GROUP_MS = 50;
const MIN_POLL_MS = 1_000;
/** Time in ms until a row is read again, also after a failure. */
const KEPT_MS = 10 * 60_000;
const MAX_IDS = 50;

/** Reads the uptime in the last 30 days (UTC, including today) of visible rows: at most one request per second. */
export function makeMonthUptimes({ now, after, get }: UptimesWorld) {
  let signals = new Map<string, Signal<number | null | undefined>>();
  let readAt = new Map<string, number>();
  const visible = new Set<string>();
  let cancel = () => {};
  let notBefore = 0;
  let isReading = false;

  function of(id: string): Signal<number | null | undefined> {
    const known = signals.get(id) ?? signal(undefined);
    signals.set(id, known);
    return known;
  }

  const dueAt = (id: string): number => (readAt.get(id) ?? -KEPT_MS) + KEPT_MS;

  function plan(): void {
    cancel();
    if (isReading || visible.size === 0) return;
    const due = Math.min(...[...visible].map(dueAt));
    cancel = after(Math.max(due, notBefore, now() + GROUP_MS) - now(), () => void read());
  }

  async function read(): Promise<void> {
    const ids = [...visible].filter((id) => dueAt(id) <= now()).slice(0, MAX_IDS);
    if (ids.length === 0) return plan();
    for (const id of ids) readAt.set(id, now());
    const signalsAtStart = signals;
    const from = new Date(Math.floor(now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS).toISOString();
    isReading = true;
    notBefore = now() + MIN_POLL_MS;
    try {
      const path = `/v1/history?entity_ids=${ids}&bucket=day&from=${from}`;
      const { entities } = await get<{ entities: { entity_id: string; total: EntityBucket }[] }>(path);
      if (signalsAtStart === signals) for (const { entity_id, total } of entities) of(entity_id).value = total.uptime;
    } catch {
      // The rows keep their values and are read again after KEPT_MS. Failed reads are shown only for the hour bars.
    }
    isReading = false;
    plan();
  }

  return {
    /** Uptime; null without monitored time, undefined until it is read. */
    of,
    setVisible(id: string, isVisible: boolean) {
      if (isVisible) visible.add(id);
      else visible.delete(id);
      plan();
    },
    /** Clears the cache, because a different user may sign in next. */
    forget() {
      for (const one of signals.values()) one.value = undefined;
      signals = new Map();
      readAt = new Map();
      plan();
    },
  };
}
