import type { Agenda } from './agenda.ts';
import { failsAt, type Truth } from './truth.ts';
import type { Entity, World } from './world.ts';

/** State of the check of an entity; times in ms. */
export type CheckStatus = {
  state: 'up' | 'down';
  failures: number;
  /** Start of the first of the consecutive failures. */
  failing_since: number;
  up_since: number;
  recovered_at: number | undefined;
  /** Start of the newest run, and of the newest success. */
  ran_at: number;
  succeeded_at: number;
};

export type Watcher = {
  /** Called when the state of an entity has changed. */
  changed?(entity: Entity, status: CheckStatus): void;
  /** Called when a run of an up entity has failed without taking it down. */
  failed?(entity: Entity, status: CheckStatus): void;
};

/**
 * Schedules the checks of failing entities until `end`. @returns the state of each checked entity, and a function that
 * probes one on demand
 */
export function runChecks(world: World, truth: Truth, agenda: Agenda, watcher: Watcher, end: number) {
  const statuses = new Map<string, CheckStatus>();
  for (const entity of world.entities.values()) {
    if (entity.checked !== 'none') statuses.set(entity.id, newStatus(entity));
  }

  function conclude(entity: Entity, fails: boolean, began: number): void {
    const own = statuses.get(entity.id)!;
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

  /** Probes once; the outcome is known when the target responds or times out. */
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

  /** Handles the due time of a heartbeat: received if the entity works, missed after two intervals without one. */
  function receive(entity: Entity): void {
    if (!failsAt(truth, entity.id, agenda.now)) return void conclude(entity, false, agenda.now);
    const own = statuses.get(entity.id)!;
    const silent = agenda.now - Math.max(own.succeeded_at, agenda.now - 10 * entity.interval_ms);
    if (silent >= 2 * entity.interval_ms) conclude(entity, true, agenda.now);
  }

  // Entities that never fail need only on-demand probes.
  for (const id of truth.keys()) {
    const entity = world.entities.get(id)!;
    if (entity.checked !== 'none') schedule(entity, entity.phase_ms);
  }
  return { statuses, run };
}

const newStatus = (entity: Entity): CheckStatus => ({
  state: 'up',
  failures: 0,
  failing_since: 0,
  up_since: -3_600_000,
  recovered_at: undefined,
  ran_at: entity.phase_ms - entity.interval_ms,
  succeeded_at: entity.phase_ms - entity.interval_ms,
});
