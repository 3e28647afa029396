import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type FeedEnd, feedEnd, settledOf } from '#console/rules/feed-end.ts';
import { type Fleet, fleetOf, patched } from '#console/rules/fleet.ts';
import { pollInterval } from '#console/rules/poll-interval.ts';
import { ApiFailure, asFailure } from './call.ts';
import type { Status, Transition } from './records.ts';

/** What the poller needs of the world, so that its rules are tested with a clock of the test's own. */
export type LiveWorld = {
  /** Epoch ms. */
  now(): number;
  /** Runs once after so many ms. @returns how to call it off */
  after(ms: number, run: () => void): () => void;
  isHidden(): boolean;
  /** Epoch ms at which somebody last moved, typed or scrolled. */
  lastInput(): number;
  get<T>(path: string, sending: { signal: AbortSignal }): Promise<{ value: T; next: string | undefined }>;
};

/** News for pages: what changed, newest first; `all` when more may have changed than is told. */
type News = { transitions: readonly Transition[]; all: boolean };

type Live = {
  /** Every entity by id; undefined until they were read for the first time. */
  fleet: ReadonlySignal<Fleet | undefined>;
  /** Epoch ms of the last look that succeeded; 0 before the first. */
  asOf: ReadonlySignal<number>;
  /** Looks in a row that failed, and why the last did. */
  missed: ReadonlySignal<number>;
  failure: ReadonlySignal<ApiFailure | undefined>;
  news: ReadonlySignal<News>;
  start(): void;
  /** Stops, and forgets what it has read: the next one to look may be somebody else. */
  stop(): void;
  /** Somebody came back, or moved: the next look is as soon as their attention asks for. */
  nudge(): void;
  /** Asks at once, unless the service wants to be left alone still: the network is back, or somebody said so. */
  lookNow(): void;
  /** Reads everything anew: after a change made here. */
  refresh(): Promise<void>;
};

const FEED = '/v1/status/transitions';
/** Whoever reads every entity counts them too. */
const STATUS = '/v1/status?counts=false';
/** With the whole status come so many of the newest transitions: they say why something is down. */
const REASONS = 100;
/** So many changes since one that is settled are read one by one; more, and all is read anew. */
const MAX_NEWS = 200;
/** Everything is read anew so often, of more entities than this more rarely: in an hour as many are read. */
const ALL_ANEW_MS = 5 * 60_000;
const AT_THAT_PACE = 1000;

const anewAfter = (entities: number): number => ALL_ANEW_MS * Math.max(1, entities / AT_THAT_PACE);

/**
 * The one poller. It asks for the transitions behind one that is so old that none can come before it any more, passes
 * over those it knows, and patches the fleet with the others. What does not fit, and what is five minutes old, is read
 * anew.
 */
export function makeLive(world: LiveWorld): Live {
  const fleet = signal<Fleet | undefined>(undefined);
  const asOf = signal(0);
  const missed = signal(0);
  const failure = signal<ApiFailure | undefined>(undefined);
  const news = signal<News>({ transitions: [], all: false });
  let feed: FeedEnd = feedEnd([], 0);
  let readAllAt = 0;
  let lastLook = 0;
  let stopping: AbortController | undefined;
  let looking: Promise<void> | undefined;
  let callOff = () => {};

  const get = <T>(path: string) => world.get<T>(path, { signal: stopping!.signal });

  async function readAll(): Promise<void> {
    // The feed first: what happens while the status is read is seen again at the next look.
    const { value: transitions } = await get<Transition[]>(`${FEED}?limit=${REASONS}`);
    const entities: Status['entities'] = [];
    for (let next: string | undefined = STATUS; next !== undefined; ) {
      const page: { value: Status; next: string | undefined } = await get<Status>(next);
      entities.push(...page.value.entities);
      next = page.next;
    }
    batch(() => {
      fleet.value = fleetOf(entities, transitions);
      news.value = { transitions: [], all: true };
    });
    feed = feedEnd(transitions.toReversed(), world.now());
    readAllAt = world.now();
  }

  const isKnown = ({ id }: Transition): boolean => feed.known.some((known) => known.id === id);

  /** The end of the feed, oldest first; undefined when not all that is new can be told. */
  async function readEnd(): Promise<Transition[] | undefined> {
    const settled = settledOf(feed, world.now());
    if (settled) return readBehind(settled);
    // For some seconds there is none to go on from: in a new account, and when much has just happened.
    const { value, next } = await get<Transition[]>(`${FEED}?limit=${REASONS}`);
    return next === undefined || value.some(isKnown) ? value.toReversed() : undefined;
  }

  async function readBehind(settled: Transition): Promise<Transition[] | undefined> {
    try {
      const { value, next } = await get<Transition[]>(`${FEED}?limit=${MAX_NEWS}&after=${settled.id}`);
      return next === undefined ? [settled, ...value] : undefined;
    } catch (error) {
      // It went with its entity, or is kept no longer.
      if (error instanceof ApiFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  async function look(): Promise<void> {
    if (!fleet.value || world.now() >= readAllAt + anewAfter(fleet.value.size)) return readAll();
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

  /** Runs one look at a time, notes how it went, and plans the next. */
  async function run(work: () => Promise<void>): Promise<void> {
    callOff();
    const { signal } = stopping!;
    try {
      await work();
      batch(() => {
        asOf.value = world.now();
        missed.value = 0;
        failure.value = undefined;
      });
    } catch (error) {
      if (signal.aborted) return;
      batch(() => {
        missed.value++;
        failure.value = asFailure(error);
      });
    }
    looking = undefined;
    lastLook = world.now();
    plan();
  }

  function plan(): void {
    callOff();
    const interval = pollInterval({
      hidden: world.isHidden(),
      idleMs: world.now() - world.lastInput(),
      failures: missed.value,
      retryAfter: failure.value?.retryAfter,
    });
    callOff = world.after(Math.max(0, lastLook + interval - world.now()), () => {
      looking = run(look);
    });
  }

  return {
    fleet,
    asOf,
    missed,
    failure,
    news,
    start() {
      if (stopping) return;
      stopping = new AbortController();
      looking = run(look);
    },
    stop() {
      stopping?.abort();
      stopping = undefined;
      looking = undefined;
      callOff();
      batch(() => {
        fleet.value = undefined;
        asOf.value = 0;
        missed.value = 0;
        failure.value = undefined;
      });
    },
    nudge() {
      if (stopping && !looking) plan();
    },
    lookNow() {
      const pause = (failure.peek()?.retryAfter ?? 0) * 1000;
      if (!stopping || looking || world.now() < lastLook + pause) return;
      looking = run(look);
    },
    async refresh() {
      await looking;
      if (!stopping) return;
      looking = run(readAll);
      await looking;
    },
  };
}
