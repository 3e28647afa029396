import type { Alert } from './policies/policy.ts';
import type { Incident } from './scenes.ts';
import type { Spans } from './truth.ts';
import { ancestorsOf, type Entity, TIMEOUT_MS } from './world.ts';

/** Result of an entity's own failure next to that of a root cause. Times in ms. */
export type OwnFailure = {
  /** Maximum time until an alert after everything that explains it has recovered. */
  bound: number;
  /** Time of the alert after that; below 0: while it was explained; undefined: not reported while it lasted. */
  reported: number | undefined;
  /** Whether it was over before the bound, unreported. */
  ended: boolean;
};

/** Minimum time for dependents to recover. */
const SETTLES_MS = 60_000;
const COOLDOWN_MS = 300_000;

/** A failure within this time after the recovery of a dependency may still be caused by it. */
const AFTERMATH_MS = 300_000;

/** Returns the time to detect a failure: a number of runs; a missed heartbeat takes one interval more. */
const detectionMs = ({ checked, threshold, interval_ms }: Entity): number =>
  (checked === 'push' ? threshold + 1 : threshold) * interval_ms + TIMEOUT_MS;
/** Returns the time to detect the end of a failure: the next run. */
const recoveryDetectionMs = ({ interval_ms }: Entity): number => interval_ms + TIMEOUT_MS;
/** Maximum time of a cause evaluation: the on-demand probe that it waits for. */
const EVALUATION_MS = 10_000;

/**
 * Returns the entities' own failures of an incident. Each must be reported after everything that explains it is known
 * to have recovered, the entity had the time of its threshold, and has run once more; or when it is detected, if
 * nothing explains it.
 */
export function ownFailures({ own, scene }: Incident, alerts: readonly Alert[]): OwnFailure[] {
  const { world, truth } = scene();
  return [...own].map(([id, began]) => {
    const entity = world.entities.get(id)!;
    const lasts = truth.get(id)!.find(([from, to]) => from <= began && began < to)!;
    // In a cycle entities do not explain each other.
    const explaining = [...ancestorsOf(world, id)].filter(
      (one) => world.entities.get(one)!.checked !== 'none' && !ancestorsOf(world, one).has(id),
    );
    const ends = explaining.flatMap((one) =>
      concerning(truth.get(one) ?? [], lasts).map(([, to]) => ({ to, of: world.entities.get(one)! })),
    );
    const gone = Math.max(began, ...ends.map(({ to }) => to));
    const seen = ends.map(({ to, of }) => to + recoveryDetectionMs(of));
    const settled = Math.max(...seen) + Math.max(SETTLES_MS, detectionMs(entity)) + recoveryDetectionMs(entity);
    const reported = alerts.find((alert) => alert.entity === id && alert.at >= lasts[0])?.at;
    // Recipients of an earlier alert get the next one after the cooldown, as without any policy.
    const before = alerts.findLast((alert) => alert.entity === id && alert.at < lasts[0])?.at;
    const free = before === undefined ? 0 : before + COOLDOWN_MS;
    const due = Math.max(began + detectionMs(entity) + EVALUATION_MS, settled, free);
    const isReported = reported !== undefined && reported < lasts[1];
    return {
      bound: due - gone,
      reported: isReported ? reported - gone : undefined,
      ended: !isReported && lasts[1] <= due,
    };
  });
}

/** Returns the failures of an entity that may explain another one. */
const concerning = (spans: Spans, [from, to]: readonly [number, number]): Spans =>
  spans.filter((one) => one[0] < to && one[1] > from - AFTERMATH_MS);

/** Whether a failure was not reported within the bound although it lasted. */
export const isBeyond = ({ bound, reported, ended }: OwnFailure): boolean =>
  !ended && (reported === undefined || reported > bound);
