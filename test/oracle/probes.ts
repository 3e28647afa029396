import type { CheckItem } from '#lib/checks/check-item.ts';
import type { PullCheck } from './history.ts';
import type { Inside, Seen } from './inside.ts';
import { probeResults } from './outcomes.ts';
import { isOfNeighbor, NEAR_CHANGE_MS, skewOf, targetOf } from './rules.ts';

/**
 * Maximum time from the start of a probe to its request on the wire, unless the machine sleeps or stalls in between
 * (ms).
 */
const SENT_MS = 4_000;
/** Maximum time until a new, enabled or changed check is probed (ms; docs/use/checks.md#probes). */
export const AT_ONCE_MS = 5_000;
/** Time after a network outage in which a request to the reference host that started during it can still fail (ms). */
const LOOKED_MS = 3_000;

/** Whether the check was enabled, with the same settings, at the slot. */
const isCurrent = (check: CheckItem, slot: number): boolean => check.enabled && slot >= check.settings_at;

/** A slot is probed once, not before its time and not after the next one is due; every result comes from a probe. */
export function checkProbes(inside: Inside, pulled: PullCheck[]): string[] {
  const { seen, profile } = inside;
  const skew = skewOf(inside);
  const wrong: string[] = [];
  const results = new Set<string>();
  const begins = new Map<string, number[]>();
  const probes = Map.groupBy(seen.probes, ({ host }) => host);
  for (const { commit, check, at: slot, begun, success, unscheduled, record_only, ...run } of probeResults(seen)) {
    // Several manual runs can have the same time.
    const single = run.single && unscheduled !== 'manual';
    const { id, interval_seconds, settings_at } = check;
    // Near a change, a process that has not read it can store a second result, with the old settings.
    const isBoth = settings_at > slot - NEAR_CHANGE_MS;
    if (single && results.has(`${id} ${slot}`) && !record_only && !isBoth)
      wrong.push(`${id}: slot ${slot} has two results`);
    if (single) results.add(`${id} ${slot}`);
    begins.set(id, [...(begins.get(id) ?? []), begun]);
    if (begun < slot - skew) wrong.push(`${id}: probed at ${begun}, before its slot ${slot}`);
    if (begun >= slot + interval_seconds * 1000 + (profile.jumpMs && skew) && isCurrent(check, slot))
      wrong.push(`${id}: probed for slot ${slot} at ${begun}, when the next slot was due`);
    const by = sentBy(seen, begun, begun + SENT_MS + 2 * profile.jumpMs);
    const isReal = probes
      .get(targetOf(check))
      ?.some(
        (probe) => probe.run === commit.run && probe.at >= begun - skew && probe.at <= by && probe.success === success,
      );
    if (!isReal) wrong.push(`${id}: no probe at ${begun} had the recorded outcome (success: ${success})`);
  }
  return profile.quiet ? [...wrong, ...checkAtOnce(inside, pulled, begins)] : wrong;
}

/** Without faults, a check that was created, enabled or changed is probed immediately. */
function checkAtOnce({ seen, profile }: Inside, pulled: PullCheck[], begins: Map<string, number[]>): string[] {
  const skew = skewOf({ profile });
  return pulled.flatMap(({ id, from, to, stored }) => {
    const isAtOnce = begins.get(id)?.some((begun) => begun >= from - skew && begun <= from + AT_ONCE_MS);
    // A probe that starts while the network works can still wait for its response when the network fails.
    const answered = from + AT_ONCE_MS + stored!.check.timeout_ms;
    const isCutOff = [...seen.spells, ...seen.stops].some(
      (spell) => spell.from <= answered && spell.to + LOOKED_MS >= from,
    );
    if (to <= from || isAtOnce || isCutOff || isOfNeighbor(targetOf(stored!.check))) return [];
    return [`${id}: not probed immediately after its change at ${from}`];
  });
}

/** Returns the time by which a probe that started at `begun` has sent its request, extended by sleeps and stalls. */
function sentBy({ outages, stalls }: Seen, begun: number, by: number): number {
  return [...outages.filter(({ suspended }) => suspended), ...stalls]
    .sort((a, b) => a.from - b.from)
    .reduce((sent, { from, to }) => (from <= sent && to >= begun ? Math.max(sent, to + SENT_MS) : sent), by);
}
