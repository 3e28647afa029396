import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  type CachedHours,
  cachedAfter,
  type Hour,
  nextDue,
  nextRequest,
  type RowOf,
} from '#console/rules/hour-bars.ts';
import { type ApiFailure, asFailure } from './call.ts';

type BarsWorld = {
  now(): number;
  after(ms: number, run: () => void): () => void;
  get<T>(path: string): Promise<T>;
  rowOf: RowOf;
};

type HourBars = {
  of(id: string): ReadonlySignal<CachedHours | undefined>;
  failure: ReadonlySignal<ApiFailure | undefined>;
  setVisible(id: string, isVisible: boolean): void;
  /** Reports that states may have changed. */
  changed(): void;
  /** Clears the cache, because a different user may sign in next. */
  forget(): void;
};

type HistoriesReply = { entities: { entity_id: string; buckets: Hour[] }[] };

const GROUP_MS = 50;
const MIN_POLL_MS = 1_000;
const AFTER_FAILURE_MS = 30_000;
/** Timers of browsers support up to 24 days; this stays far below. */
const MAX_POLL_MS = 3_600_000;

/** Reads the hour bars of visible rows: at most one request per second, none for cached hours. */
export function makeHourBars(world: BarsWorld): HourBars {
  const failure = signal<ApiFailure | undefined>(undefined);
  const signals = new Map<string, Signal<CachedHours | undefined>>();
  const visible = new Set<string>();
  let cache = new Map<string, CachedHours>();
  let notBefore = 0;
  let isReading = false;
  let cancel = () => {};

  function of(id: string): Signal<CachedHours | undefined> {
    const known = signals.get(id) ?? signal<CachedHours | undefined>(undefined);
    signals.set(id, known);
    return known;
  }

  function plan(): void {
    cancel();
    const due = nextDue(visible, cache, world.rowOf);
    if (isReading || due === undefined) return;
    const at = Math.max(due, notBefore, world.now() + GROUP_MS);
    cancel = world.after(Math.min(MAX_POLL_MS, at - world.now()), () => void read());
  }

  async function read(): Promise<void> {
    const request = nextRequest(visible, cache, world.rowOf, world.now());
    if (!request) return plan();
    const { ids, range } = request;
    const cacheAtStart = cache;
    isReading = true;
    notBefore = world.now() + MIN_POLL_MS;
    try {
      const response = await world.get<HistoriesReply>(
        `/v1/history?entity_ids=${ids}&bucket=hour&latency=true${range}`,
      );
      failure.value = undefined;
      if (cacheAtStart === cache) for (const { entity_id, buckets } of response.entities) store(entity_id, buckets);
    } catch (error) {
      failure.value = asFailure(error);
      notBefore = world.now() + Math.max(AFTER_FAILURE_MS, (failure.value.retryAfter ?? 0) * 1000);
    }
    isReading = false;
    plan();
  }

  function store(id: string, hours: readonly Hour[]): void {
    const after = cachedAfter(cache.get(id), hours, world.now());
    cache.set(id, after);
    of(id).value = after;
  }

  return {
    of,
    failure,
    setVisible(id, isVisible) {
      if (isVisible) visible.add(id);
      else visible.delete(id);
      plan();
    },
    changed: plan,
    forget() {
      cache = new Map();
      failure.value = undefined;
      for (const one of signals.values()) one.value = undefined;
      plan();
    },
  };
}
