import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type FeedEnd, feedEnd, settledOf } from '#console/rules/feed-end.ts';
import { type Fleet, fleetOf, patched } from '#console/rules/fleet.ts';
import { pollInterval } from '#console/rules/poll-interval.ts';
import { ApiFailure, asFailure } from './call.ts';
import type { Status, Transition } from './records.ts';

/** Clock, input and API that the poller depends on; tests replace them. */
export type LiveWorld = {
  now(): number;
  /** Runs a function once after `ms` milliseconds. @returns function that cancels it */
  after(ms: number, run: () => void): () => void;
  isHidden(): boolean;
  /** Time of the last user input, in epoch ms. */
  lastInput(): number;
  get<T>(path: string, options: { signal: AbortSignal }): Promise<{ value: T; next: string | undefined }>;
};

/** Changes since the last poll, newest first. `all`: anything may have changed. */
type News = { transitions: readonly Transition[]; all: boolean };

type Live = {
  fleet: ReadonlySignal<Fleet | undefined>;
  /** Time of the last successful poll, in epoch ms; 0 before the first one. */
  asOf: ReadonlySignal<number>;
  /** Number of consecutive failed polls. */
  failedPolls: ReadonlySignal<number>;
  failure: ReadonlySignal<ApiFailure | undefined>;
  news: ReadonlySignal<News>;
  start(): void;
  stop(): void;
  /** Plans the next poll again, after user activity. */
  nudge(): void;
  /** Polls at once, except during the pause that the last failed response requested (Retry-After). */
  pollNow(): void;
  /** Reads everything again. */
  refresh(): Promise<void>;
};

const FEED = '/v1/status/transitions';
const STATUS = '/v1/status?counts=false';
const NEWEST = 100;
/** Maximum number of new transitions per poll; if there are more, everything is read again. */
const MAX_NEW = 200;
/** Interval of full reads. It grows with the number of entities above FULL_READ_ENTITIES to limit the load. */
const FULL_READ_MS = 5 * 60_000;
const FULL_READ_ENTITIES = 1000;

const fullReadInterval = (entities: number): number => FULL_READ_MS * Math.max(1, entities / FULL_READ_ENTITIES);

/**
 * Creates the poller of the page. A poll reads the transitions after the last settled one (no earlier one can still
 * arrive), skips known ones and applies the others to the fleet. If that is impossible, it reads everything again.
 */
export function makeLive(world: LiveWorld): Live {
  const fleet = signal<Fleet | undefined>(undefined);
  const asOf = signal(0);
  const failedPolls = signal(0);
  const failure = signal<ApiFailure | undefined>(undefined);
  const news = signal<News>({ transitions: [], all: false });
  let feed: FeedEnd = feedEnd([], 0);
  let readAllAt = 0;
  let lastPoll = 0;
  let controller: AbortController | undefined;
  let polling: Promise<void> | undefined;
  let cancel = () => {};

  const get = <T>(path: string) => world.get<T>(path, { signal: controller!.signal });

  async function readAll(): Promise<void> {
    // The feed is read first, so that the next poll returns the transitions that occur while the status is read.
    const { value: transitions } = await get<Transition[]>(`${FEED}?limit=${NEWEST}`);
    const entities: Status['entities'] = [];
    for (let next: string | undefined = STATUS; next !== undefined; ) {
      const page: { value: Status; next: string | undefined } = await get<Status>(next);
      entities.push(...page.value.entities);
      next = page.next;
    }
    batch(() => {
      fleet.value = fleetOf(entities);
      news.value = { transitions: [], all: true };
    });
    feed = feedEnd(transitions.toReversed(), world.now());
    readAllAt = world.now();
  }

  const isKnown = ({ id }: Transition): boolean => feed.known.some((known) => known.id === id);

  /** Returns the newest transitions, oldest first; undefined if some may be missing. */
  async function readEnd(): Promise<Transition[] | undefined> {
    const settled = settledOf(feed, world.now());
    if (settled) return readAfter(settled);
    // A new account, or one with many recent changes, has no settled transition for some seconds.
    const { value, next } = await get<Transition[]>(`${FEED}?limit=${NEWEST}`);
    return next === undefined || value.some(isKnown) ? value.toReversed() : undefined;
  }

  async function readAfter(settled: Transition): Promise<Transition[] | undefined> {
    try {
      const { value, next } = await get<Transition[]>(`${FEED}?limit=${MAX_NEW}&after=${settled.id}`);
      return next === undefined ? [settled, ...value] : undefined;
    } catch (error) {
      // The transition was deleted with its entity, or has expired.
      if (error instanceof ApiFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  async function poll(): Promise<void> {
    if (!fleet.value || world.now() >= readAllAt + fullReadInterval(fleet.value.size)) return readAll();
    const end = await readEnd();
    const transitions = end?.filter((one) => !isKnown(one)).toReversed();
    const next = transitions && patched(fleet.value, transitions);
    if (!end || !next) return readAll();
    feed = feedEnd(end, world.now(), feed);
    if (transitions.length === 0) return;
    batch(() => {
      fleet.value = next;
      news.value = { transitions, all: false };
    });
  }

  async function run(work: () => Promise<void>): Promise<void> {
    cancel();
    const { signal } = controller!;
    try {
      await work();
      batch(() => {
        asOf.value = world.now();
        failedPolls.value = 0;
        failure.value = undefined;
      });
    } catch (error) {
      if (signal.aborted) return;
      batch(() => {
        failedPolls.value++;
        failure.value = asFailure(error);
      });
    }
    polling = undefined;
    lastPoll = world.now();
    plan();
  }

  function plan(): void {
    cancel();
    const interval = pollInterval({
      hidden: world.isHidden(),
      idleMs: world.now() - world.lastInput(),
      failures: failedPolls.value,
      retryAfter: failure.value?.retryAfter,
    });
    cancel = world.after(Math.max(0, lastPoll + interval - world.now()), () => {
      polling = run(poll);
    });
  }

  return {
    fleet,
    asOf,
    failedPolls,
    failure,
    news,
    start() {
      if (controller) return;
      controller = new AbortController();
      polling = run(poll);
    },
    stop() {
      controller?.abort();
      controller = undefined;
      polling = undefined;
      cancel();
      batch(() => {
        fleet.value = undefined;
        asOf.value = 0;
        failedPolls.value = 0;
        failure.value = undefined;
      });
    },
    nudge() {
      if (controller && !polling) plan();
    },
    pollNow() {
      const pause = (failure.peek()?.retryAfter ?? 0) * 1000;
      if (!controller || polling || world.now() < lastPoll + pause) return;
      polling = run(poll);
    },
    async refresh() {
      await polling;
      if (!controller) return;
      polling = run(readAll);
      await polling;
    },
  };
}
