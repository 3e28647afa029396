import type { Alert } from './policies/policy.ts';
import type { Incident } from './scenes.ts';
import type { Spans } from './truth.ts';
import { ancestorsOf, type Entity, TIMEOUT_MS } from './world.ts';

/** What became of a failure of an entity's own beside that of a root. Times in ms. */
export type OwnFailure = {
  /** How long after all is gone that explains it somebody has to be told. */
  bound: number;
  /** How long after that somebody was; below 0: while it was explained; undefined: nobody while it lasted. */
  told: number | undefined;
  /** It was over before the bound, and nobody was told. */
  ended: boolean;
};

/** How long what follows from another failure has at least to recover. */
const SETTLES_MS = 60_000;
const COOLDOWN_MS = 300_000;

/** What fails so soon after the recovery of what it depends on may still follow from that. */
const AFTERMATH_MS = 300_000;

/** A failure is found out after so many runs that begin in it; silence is one interval longer. */
const toFindOut = ({ checked, threshold, interval_ms }: Entity): number =>
  (checked === 'push' ? threshold + 1 : threshold) * interval_ms + TIMEOUT_MS;
/** The end of a failure is seen in the next run. */
const toSeeItsEnd = ({ interval_ms }: Entity): number => interval_ms + TIMEOUT_MS;
/** What a look may take: the one on-demand probe that it waits for. */
const LOOK_MS = 10_000;

/**
 * The failures of their own in an incident. Each is to be told when all that explains it has been seen to recover, the
 * entity had the time of its own threshold after that, and has run once more; or when it is found out, where nothing
 * explains it.
 */
export function ownFailures({ own, scene }: Incident, alerts: readonly Alert[]): OwnFailure[] {
  const { world, truth } = scene();
  return [...own].map(([id, began]) => {
    const entity = world.entities.get(id)!;
    const lasts = truth.get(id)!.find(([from, to]) => from <= began && began < to)!;
    // In a cycle nobody explains anybody.
    const explaining = [...ancestorsOf(world, id)].filter(
      (one) => world.entities.get(one)!.checked !== 'none' && !ancestorsOf(world, one).has(id),
    );
    const ends = explaining.flatMap((one) =>
      concerning(truth.get(one) ?? [], lasts).map(([, to]) => ({ to, of: world.entities.get(one)! })),
    );
    const gone = Math.max(began, ...ends.map(({ to }) => to));
    const seen = ends.map(({ to, of }) => to + toSeeItsEnd(of));
    const settled = Math.max(...seen) + Math.max(SETTLES_MS, toFindOut(entity)) + toSeeItsEnd(entity);
    const told = alerts.find((alert) => alert.entity === id && alert.at >= lasts[0])?.at;
    // Who was told of the failure before hears of this one when the cooldown is over, as without any rule.
    const before = alerts.findLast((alert) => alert.entity === id && alert.at < lasts[0])?.at;
    const free = before === undefined ? 0 : before + COOLDOWN_MS;
    const due = Math.max(began + toFindOut(entity) + LOOK_MS, settled, free);
    const isTold = told !== undefined && told < lasts[1];
    return { bound: due - gone, told: isTold ? told - gone : undefined, ended: !isTold && lasts[1] <= due };
  });
}

/** The failures of something that may explain another one. */
const concerning = (spans: Spans, [from, to]: readonly [number, number]): Spans =>
  spans.filter((one) => one[0] < to && one[1] > from - AFTERMATH_MS);

/** Whether nobody was told within the bound, though the failure lasted. */
export const isBeyond = ({ bound, told, ended }: OwnFailure): boolean => !ended && (told === undefined || told > bound);
