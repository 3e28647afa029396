import type { Alert } from './policies/policy.ts';
import type { Incident } from './scenes.ts';
import type { Spans } from './truth.ts';
import { ancestorsOf, type Entity, TIMEOUT_MS } from './world.ts';

/** Own failure of an entity that may overlap with a root cause, and when it was reported. Times in ms. */
export type OwnFailure = {
  /** Maximum time from the recovery of everything that explains the failure to its alert. */
  bound: number;
  /** Time from that recovery to the alert; below 0: sent before it; undefined: not sent while the failure lasted. */
  reported: number | undefined;
  /** Whether the failure ended within the bound, unreported. */
  ended: boolean;
};

/** Minimum time that dependents get to recover. */
const SETTLES_MS = 60_000;
const COOLDOWN_MS = 300_000;

/** A failure within this time after the recovery of a dependency may still be caused by it. */
const AFTERMATH_MS = 300_000;

/** Returns the time to detect a failure: the runs of its threshold; a missed heartbeat takes one interval more. */
const detectionMs = ({ checked, threshold, interval_ms }: Entity): number =>
  (checked === 'push' ? threshold + 1 : threshold) * interval_ms + TIMEOUT_MS;
/** Returns the time to detect the end of a failure: the next run. */
const recoveryDetectionMs = ({ interval_ms }: Entity): number => interval_ms + TIMEOUT_MS;
/** Maximum time of a cause evaluation, which waits for on-demand probes. */
const EVALUATION_MS = 10_000;

/**
 * Returns the entities' own failures of an incident. A failure that nothing explains must be reported when it is
 * detected. Any other must be reported once everything that explains it is known to have recovered, the entity then had
 * the time to detect a failure, and it ran once more.
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
      concerning(truth.get(one) ?? [], lasts).map(([, to]) => ({ to, cause: world.entities.get(one)! })),
    );
    const explainedUntil = Math.max(began, ...ends.map(({ to }) => to));
    const detected = ends.map(({ to, cause }) => to + recoveryDetectionMs(cause));
    const settled = Math.max(...detected) + Math.max(SETTLES_MS, detectionMs(entity)) + recoveryDetectionMs(entity);
    const reported = alerts.find((alert) => alert.entity === id && alert.at >= lasts[0])?.at;
    // Recipients of an earlier alert get the next one after the cooldown, as without a policy.
    const earlier = alerts.findLast((alert) => alert.entity === id && alert.at < lasts[0])?.at;
    const cooldownEnd = earlier === undefined ? 0 : earlier + COOLDOWN_MS;
    const due = Math.max(began + detectionMs(entity) + EVALUATION_MS, settled, cooldownEnd);
    const isReported = reported !== undefined && reported < lasts[1];
    return {
      bound: due - explainedUntil,
      reported: isReported ? reported - explainedUntil : undefined,
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
