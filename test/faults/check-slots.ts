import type { CheckItem } from '#lib/checks/check-item.ts';
import type { GapNoteItem } from '#lib/health/history/gap-causes.ts';
import type { ResultItem } from '#lib/health/history/result-item.ts';
import { isNeighbours } from './neighbour.ts';
import { mayBeUnjudged, slotsOf, targetOf } from './rules.ts';
import type { Run } from './simulate.ts';

/** Time in which a check had the same settings. */
type Period = { check: CheckItem; from: number; to: number; changed_at: number };

/** A slot so near to a change of settings may fall to either side of it (ms). */
const NEAR_MS = 20_000;
/** The last slots of a run have no time to be executed (ms). */
const LAST_MS = 70_000;

/** How far the clocks of two processes may be apart, both ways (ms). */
const SKEW_MS = 40;
/** The same in a run whose clocks jump. */
export const skewOf = ({ profile: { jumpMs } }: Run): number => SKEW_MS + 2 * jumpMs;
/**
 * From the beginning of a probe until its request is on the wire, unless the machine sleeps or stands still in between
 * (ms).
 */
const SENT_MS = 4_000;
/** A new, re-enabled or changed check is probed within this time (ms; docs/CONTRACT.md#probes). */
const AT_ONCE_MS = 5_000;
/** After our network was silent it counts as down until somebody answers (ms): each check is probed in this time. */
const HEARD_MS = 12_000;

/** The settings by which the slot was taken still stand. */
const isCurrent = (check: CheckItem, slot: number): boolean => check.enabled && slot >= check.settings_at;

/** Every slot that was due has a result, or says why it has none; no probe came early; no result was made up. */
export function checkSlots(run: Run): string[] {
  const { seen, profile } = run;
  const skew = skewOf(run);
  const wrong: string[] = [];
  const results = new Map<string, Set<number>>();
  const begins = new Map<string, number[]>();
  const checks = new Map<string, CheckItem>();
  const probes = Map.groupBy(seen.probes, (probe) => probe.host);

  for (const { run: by, changes } of seen.commits) {
    for (const { key, after } of changes) {
      if (key.sk === 'CHECK' && after) checks.set(key.pk, after as CheckItem);
      const result = after as ResultItem | undefined;
      const check = checks.get(key.pk);
      if (!key.sk.startsWith('R#') || !result || check?.execution_mode !== 'pull') continue;
      const at = Number(key.sk.slice(2, 15));
      const had = results.get(key.pk) ?? new Set();
      results.set(key.pk, had);
      // Its own with the settings before a change, which it did not see, and with those after it.
      const isBoth = check.settings_at > at - NEAR_MS;
      if (had.has(at) && !result.history && !isBoth) wrong.push(`${check.id}: slot ${at} has two results`);
      had.add(at);
      const begun = Date.parse(result.checked_at);
      begins.set(key.pk, [...(begins.get(key.pk) ?? []), begun]);
      if (begun < at - skew) wrong.push(`${check.id}: probed at ${begun}, before its slot ${at}`);
      if (begun >= at + check.interval_seconds * 1000 + (profile.jumpMs && skew) && isCurrent(check, at))
        wrong.push(`${check.id}: probed at ${begun}, when the successor of ${at} was due`);
      const real = probes
        .get(targetOf(check))
        ?.some(
          ({ run: own, at, success }) =>
            own === by && at >= begun - skew && at <= sentBy(run, begun) && success === result.success,
        );
      if (!real) wrong.push(`${check.id}: nobody saw the probe of ${begun} that found ${result.success}`);
    }
  }

  const sent = new Set(seen.jobsSent.map(({ check_id, slot }) => `${check_id} ${slot}`));
  const dead = new Set(seen.jobsDead.map(({ check_id, slot }) => `${check_id} ${slot}`));
  const runs = Map.groupBy(seen.jobRuns, ({ check_id, slot }) => `${check_id} ${slot}`);
  const settings = settingsTimes(run);
  for (const { check, from, to, changed_at } of periodsOf(run)) {
    // Its own share may be too small for all of them.
    if (isNeighbours(targetOf(check))) continue;
    const interval = check.interval_seconds * 1000;
    const had = results.get(check.pk);
    const isAtOnce = begins.get(check.pk)?.some((begun) => begun >= from - skew && begun <= from + AT_ONCE_MS);
    const isCutOff = [...seen.spells, ...seen.stops].some(
      (spell) => spell.from <= from + AT_ONCE_MS && spell.to + HEARD_MS >= from,
    );
    if (profile.quiet && to > from && !isAtOnce && !isCutOff)
      wrong.push(`${check.id}: not probed at once after its change at ${from}`);
    for (const slot of slotsOf(check.id, check.interval_seconds, from, to)) {
      const job = `${check.id} ${slot}`;
      const moved = settings.get(check.pk)!.some((at) => at >= slot && at < slot + interval && had?.has(at));
      if (had?.has(slot) || moved) continue;
      const isLate = runs.get(job)?.some(({ done_at }) => done_at !== undefined && done_at >= slot + interval - skew);
      const isOut = outagesOf(run).some((outage) => outage.from <= slot && slot <= outage.to);
      // What a fault held up until the settings had changed is due no more.
      const isPast = runs.get(job)?.some(({ done_at }) => done_at !== undefined && done_at >= changed_at);
      const note = seen.table.get(`${check.pk}|G#${String(slot).padStart(13, '0')}`) as GapNoteItem | undefined;
      if (note?.cause === 'network') continue;
      if (seen.stops.some((stop) => slot >= stop.from - interval && slot <= stop.over + AT_ONCE_MS)) continue;
      const isUnjudged = probes
        .get(targetOf(check))
        ?.some((probe) => probe.at >= slot - skew && probe.at < slot + interval && mayBeUnjudged(seen, probe));
      if (isUnjudged) continue;
      if (!profile.quiet && (isLate || isOut || isPast || note || dead.has(job))) continue;
      wrong.push(
        `${check.id}: slot ${slot} of ${interval} ms was ${sent.has(job) ? 'sent and' : 'never sent and'} has no result`,
      );
    }
  }
  return wrong;
}

/** Until when a probe that began at `begun` has sent its request. */
function sentBy(run: Run, begun: number): number {
  const by = begun + SENT_MS + skewOf(run) - SKEW_MS;
  const asleep = [...run.seen.outages.filter(({ suspended }) => suspended), ...run.seen.stalls].find(
    ({ from, to }) => from <= by && to >= begun,
  );
  return asleep ? asleep.to + SENT_MS : by;
}

export const outagesOf = ({ seen }: Run): { from: number; to: number }[] =>
  [...seen.table.values()].filter((item) => item.pk.startsWith('OUTAGES#')) as unknown as {
    from: number;
    to: number;
  }[];

function settingsTimes({ seen }: Run): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const { changes } of seen.commits) {
    for (const { key, after } of changes) {
      if (key.sk !== 'CHECK' || !after) continue;
      times.set(key.pk, [...(times.get(key.pk) ?? []), (after as CheckItem).settings_at]);
    }
  }
  return times;
}

function periodsOf({ seen, end }: Run): Period[] {
  const open = new Map<string, Period>();
  const periods: Period[] = [];
  const close = (pk: string, at: number) => {
    const period = open.get(pk);
    open.delete(pk);
    if (period) periods.push({ ...period, to: at - NEAR_MS, changed_at: at });
  };
  for (const { at, changes } of seen.commits) {
    for (const { key, before, after } of changes) {
      if (key.sk !== 'CHECK') continue;
      const [old, now] = [before as CheckItem | undefined, after as CheckItem | undefined];
      if (old?.rev === now?.rev) continue;
      close(key.pk, at);
      if (now?.enabled && now.execution_mode === 'pull')
        open.set(key.pk, { check: now, from: at, to: 0, changed_at: 0 });
    }
  }
  for (const pk of [...open.keys()]) close(pk, end - LAST_MS + NEAR_MS);
  return periods;
}
