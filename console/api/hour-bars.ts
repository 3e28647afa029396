import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  type CachedHours,
  cachedAfter,
  type Hour,
  nextDue,
  nextQuestion,
  type RowOf,
} from '#console/rules/hour-bars.ts';
import { type ApiFailure, asFailure } from './call.ts';

/** What it needs of the world, so that it is tested with a clock of the test's own. */
type BarsWorld = {
  /** Epoch ms. */
  now(): number;
  /** Runs once after so many ms. @returns how to call it off */
  after(ms: number, run: () => void): () => void;
  get<T>(path: string): Promise<T>;
  rowOf: RowOf;
};

type HourBars = {
  /** What was read of the last hours of an entity; undefined until it was. */
  of(id: string): ReadonlySignal<CachedHours | undefined>;
  /** Why the last question failed. */
  failure: ReadonlySignal<ApiFailure | undefined>;
  /** A row came into sight, or left it: of others nothing is asked. */
  seen(id: string, isSeen: boolean): void;
  /** Rows of the fleet changed. */
  changed(): void;
  /** Forgets all: the next one to look may be somebody else. */
  forget(): void;
};

type HistoriesReply = { entities: { entity_id: string; buckets: Hour[] }[] };

/** Rows that come into sight together are asked for together. */
const TOGETHER_MS = 50;
const MIN_POLL_MS = 1_000;
const AFTER_FAILURE_MS = 30_000;
/** The longest time that every browser's timer takes is 24 days. */
const MAX_POLL_MS = 3_600_000;

/** The bars of the rows in sight: at most one question a second, and none about what is known. */
export function makeHourBars(world: BarsWorld): HourBars {
  const failure = signal<ApiFailure | undefined>(undefined);
  const shown = new Map<string, Signal<CachedHours | undefined>>();
  const inSight = new Set<string>();
  let held = new Map<string, CachedHours>();
  let notBefore = 0;
  let asking = false;
  let callOff = () => {};

  function of(id: string): Signal<CachedHours | undefined> {
    const known = shown.get(id) ?? signal<CachedHours | undefined>(undefined);
    shown.set(id, known);
    return known;
  }

  function plan(): void {
    callOff();
    const due = nextDue(inSight, held, world.rowOf);
    if (asking || due === undefined) return;
    const at = Math.max(due, notBefore, world.now() + TOGETHER_MS);
    callOff = world.after(Math.min(MAX_POLL_MS, at - world.now()), () => void ask());
  }

  async function ask(): Promise<void> {
    const question = nextQuestion(inSight, held, world.rowOf, world.now());
    if (!question) return plan();
    const { ids, span } = question;
    const mine = held;
    asking = true;
    notBefore = world.now() + MIN_POLL_MS;
    try {
      const answer = await world.get<HistoriesReply>(`/v1/history?entity_ids=${ids}&bucket=hour${span}`);
      failure.value = undefined;
      if (mine === held) for (const { entity_id, buckets } of answer.entities) hold(entity_id, buckets);
    } catch (error) {
      failure.value = asFailure(error);
      notBefore = world.now() + Math.max(AFTER_FAILURE_MS, (failure.value.retryAfter ?? 0) * 1000);
    }
    asking = false;
    plan();
  }

  function hold(id: string, hours: readonly Hour[]): void {
    const after = cachedAfter(held.get(id), hours, world.now());
    held.set(id, after);
    of(id).value = after;
  }

  return {
    of,
    failure,
    seen(id, isSeen) {
      if (isSeen) inSight.add(id);
      else inSight.delete(id);
      plan();
    },
    changed: plan,
    forget() {
      held = new Map();
      failure.value = undefined;
      for (const one of shown.values()) one.value = undefined;
      plan();
    },
  };
}
