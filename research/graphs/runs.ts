import type { Agenda } from './agenda.ts';
import { failsAt, type Truth } from './truth.ts';
import type { Entity, World } from './world.ts';

/** What a service knows of an entity by its own runs; times in ms. */
export type Standing = {
  state: 'up' | 'down';
  failures: number;
  /** When the first of the failures in a row began. */
  failing_since: number;
  up_since: number;
  recovered_at: number | undefined;
  /** When the newest run began, and the newest that succeeded. */
  ran_at: number;
  succeeded_at: number;
};

export type Watcher = {
  /** The state of an entity has changed. */
  changed?(entity: Entity, standing: Standing): void;
  /** A run of an entity that is up has failed, and it is not down by that. */
  failed?(entity: Entity, standing: Standing): void;
};

/** The runs of all checks of a world whose entities fail, in virtual time. */
export function runChecks(world: World, truth: Truth, agenda: Agenda, watcher: Watcher, end: number) {
  const standings = new Map<string, Standing>();
  for (const entity of world.entities.values()) {
    if (entity.checked !== 'none') standings.set(entity.id, newStanding(entity));
  }

  function conclude(entity: Entity, fails: boolean, began: number): void {
    const own = standings.get(entity.id)!;
    own.ran_at = Math.max(own.ran_at, began);
    if (!fails) {
      own.succeeded_at = Math.max(own.succeeded_at, began);
      own.failures = 0;
      if (own.state === 'up') return;
      Object.assign(own, { state: 'up', up_since: agenda.now, recovered_at: agenda.now });
      watcher.changed?.(entity, own);
      return;
    }
    if (own.failures === 0) own.failing_since = began;
    own.failures += 1;
    if (own.state === 'down') return;
    if (own.failures < entity.threshold) return void watcher.failed?.(entity, own);
    own.state = 'down';
    watcher.changed?.(entity, own);
  }

  /** Probes once; its outcome is there when the target answers or refuses. */
  function run(entity: Entity): void {
    const began = agenda.now;
    const fails = failsAt(truth, entity.id, began);
    agenda.at(began + (fails ? entity.fails_in_ms : 50), () => conclude(entity, fails, began));
  }

  function schedule(entity: Entity, at: number): void {
    if (at > end) return;
    agenda.at(at, () => {
      if (entity.checked === 'pull') run(entity);
      else receive(entity);
      schedule(entity, at + entity.interval_ms);
    });
  }

  /** A push comes, or does not: it is missed after two intervals. */
  function receive(entity: Entity): void {
    if (!failsAt(truth, entity.id, agenda.now)) return void conclude(entity, false, agenda.now);
    const own = standings.get(entity.id)!;
    const silent = agenda.now - Math.max(own.succeeded_at, agenda.now - 10 * entity.interval_ms);
    if (silent >= 2 * entity.interval_ms) conclude(entity, true, agenda.now);
  }

  // What never fails needs no runs but those that others may ask for.
  for (const id of truth.keys()) {
    const entity = world.entities.get(id)!;
    if (entity.checked !== 'none') schedule(entity, entity.phase_ms);
  }
  return { standings, run };
}

const newStanding = (entity: Entity): Standing => ({
  state: 'up',
  failures: 0,
  failing_since: 0,
  up_since: -3_600_000,
  recovered_at: undefined,
  ran_at: entity.phase_ms - entity.interval_ms,
  succeeded_at: entity.phase_ms - entity.interval_ms,
});
