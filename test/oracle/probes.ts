import type { CheckItem } from '#lib/checks/check-item.ts';
import type { PulledCheck } from './history.ts';
import type { Inside, Seen } from './inside.ts';
import { probeResults } from './outcomes.ts';
import { isNeighbours, NEAR_CHANGE_MS, skewOf, targetOf } from './rules.ts';

/**
 * From the beginning of a probe until its request is on the wire, unless the machine sleeps or stands still in between
 * (ms).
 */
const SENT_MS = 4_000;
/** A new, re-enabled or changed check is probed within this time (ms; docs/use/checks.md#probes). */
export const AT_ONCE_MS = 5_000;
/** A look at the reference host that began while our network was silent may find it so for this long after it (ms). */
const LOOKED_MS = 3_000;

/** The settings by which the slot was taken still stand. */
const isCurrent = (check: CheckItem, slot: number): boolean => check.enabled && slot >= check.settings_at;

/** A probe is made once for its slot, neither before it nor when the next is due; no result is made up. */
export function checkProbes(inside: Inside, pulled: PulledCheck[]): string[] {
  const { seen, profile } = inside;
  const skew = skewOf(inside);
  const wrong: string[] = [];
  const results = new Set<string>();
  const begins = new Map<string, number[]>();
  const probes = Map.groupBy(seen.probes, ({ host }) => host);
  for (const { commit, check, at: slot, begun, success, beside, history, ...run } of probeResults(seen)) {
    // Several may be run by hand at one moment.
    const single = run.single && beside !== 'manual';
    const { id, interval_seconds, settings_at } = check;
    // Its own with the settings before a change, which it did not see, and with those after it.
    const isBoth = settings_at > slot - NEAR_CHANGE_MS;
    if (single && results.has(`${id} ${slot}`) && !history && !isBoth)
      wrong.push(`${id}: slot ${slot} has two results`);
    if (single) results.add(`${id} ${slot}`);
    begins.set(id, [...(begins.get(id) ?? []), begun]);
    if (begun < slot - skew) wrong.push(`${id}: probed at ${begun}, before its slot ${slot}`);
    if (begun >= slot + interval_seconds * 1000 + (profile.jumpMs && skew) && isCurrent(check, slot))
      wrong.push(`${id}: probed at ${begun}, when the successor of ${slot} was due`);
    const by = sentBy(seen, begun, begun + SENT_MS + 2 * profile.jumpMs);
    const isReal = probes
      .get(targetOf(check))
      ?.some(
        (probe) => probe.run === commit.run && probe.at >= begun - skew && probe.at <= by && probe.success === success,
      );
    if (!isReal) wrong.push(`${id}: nobody saw the probe of ${begun} that found ${success}`);
  }
  return profile.quiet ? [...wrong, ...checkAtOnce(inside, pulled, begins)] : wrong;
}

/** When nothing fails, a check that was made, enabled or changed is probed at once. */
function checkAtOnce({ seen, profile }: Inside, pulled: PulledCheck[], begins: Map<string, number[]>): string[] {
  const skew = skewOf({ profile });
  return pulled.flatMap(({ id, from, to, stored }) => {
    const isAtOnce = begins.get(id)?.some((begun) => begun >= from - skew && begun <= from + AT_ONCE_MS);
    // What begins while we are connected may wait for its answer until we are not.
    const answered = from + AT_ONCE_MS + stored!.check.timeout_ms;
    const isCutOff = [...seen.spells, ...seen.stops].some(
      (spell) => spell.from <= answered && spell.to + LOOKED_MS >= from,
    );
    if (to <= from || isAtOnce || isCutOff || isNeighbours(targetOf(stored!.check))) return [];
    return [`${id}: not probed at once after its change at ${from}`];
  });
}

/** Until when a probe that began at `begun` has sent its request: by then, unless the machine stood still meanwhile. */
function sentBy({ outages, stalls }: Seen, begun: number, by: number): number {
  return [...outages.filter(({ suspended }) => suspended), ...stalls]
    .sort((a, b) => a.from - b.from)
    .reduce((sent, { from, to }) => (from <= sent && to >= begun ? Math.max(sent, to + SENT_MS) : sent), by);
}
