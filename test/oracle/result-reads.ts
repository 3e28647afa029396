import { timeOf } from '#lib/platform/ids.ts';
import type { PackItem } from '#lib/results/pack.ts';
import { entriesOf } from '#test/support/pack-entries.ts';
import { changesIn, checkIdOf, checksIn, type Inside, isCheckKey, type Seen } from './inside.ts';
import { type PackKey, packKeyOf, probeResults } from './outcomes.ts';
import { recordedIn } from './recorded-history.ts';

/**
 * Promise: each slot of a check has one outcome: packs do not change once they are written, and none repeats a check of
 * an earlier one, except with a result after a gap. A reader gets the single result, else the first result in the
 * packs, and a gap only if there is neither; and the applied result is the returned one.
 */
export function checkResultReads(inside: Inside): string[] {
  const { seen, shown } = inside;
  const wrong = [...checkPacks(seen), ...checkApplied(seen)];
  const recorded = recordedIn(seen);
  for (const { id, execution_mode, ...check } of checksIn(seen)) {
    const answer = shown.get(id);
    if (execution_mode !== 'pull' || !answer) continue;
    const stored = (recorded.get(id)?.runs ?? []).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    const expected = stored.map((run) => `${run.at} ${run.success} ${run.id}`);
    const answered = answer.results.map((result) => `${timeOf(result.id)} ${result.success} ${result.id}`);
    const missing = expected.filter((one) => !answered.includes(one));
    const added = answered.filter((one) => !expected.includes(one));
    const say = (text: string) => wrong.push(`${id} (${check.interval_seconds} s): ${text}`);
    if (missing.length > 0) say(`${missing} is stored but not returned`);
    if (added.length > 0) say(`${added} is returned but not stored`);
    if (new Set(answered).size < answered.length) say('a result is returned twice');
    const times = answer.results.map((result) => timeOf(result.id));
    if (times.some((at, i) => at > times[Math.max(0, i - 1)]!)) say('its results are not returned newest first');
    for (const { from, to } of answer.gaps) {
      const run = stored.find((one) => one.interval_seconds && from <= one.at && one.at < to);
      if (run) say(`its result of ${run.at} is in a gap from ${from} to ${to}`);
    }
  }
  return wrong;
}

/**
 * A written pack does not change. Parts are consecutive, and none repeats a check of an earlier one, except with a
 * result after a gap.
 */
function checkPacks(seen: Seen): string[] {
  const wrong: string[] = [];
  const slots = new Map<string, { parts: number; known: Map<number, 'run' | 'gap'> }>();
  for (const { key, before, after, commit } of changesIn(seen)) {
    const pack = packKeyOf(key);
    if (!pack) continue;
    const say = (text: string) => wrong.push(`commit ${commit.n}: part ${pack.part} of ${nameOf(pack)} ${text}`);
    if (before) say('was overwritten');
    if (before || !after) continue;
    const slot = slots.get(nameOf(pack)) ?? { parts: 0, known: new Map() };
    slots.set(nameOf(pack), slot);
    if (++slot.parts !== pack.part) say(`was written as part ${slot.parts}`);
    for (const { number, gap } of entriesOf(after as PackItem)) {
      const known = slot.known.get(number);
      if (known === 'run' || (known === 'gap' && gap))
        say(`contains check number ${number}, for which an earlier part has a ${known}`);
      slot.known.set(number, gap ? 'gap' : 'run');
    }
  }
  return wrong;
}

const nameOf = ({ cell, interval_seconds, slot }: PackKey): string => `slot ${slot} of ${cell} (${interval_seconds} s)`;

/** At most one outcome of a slot is applied, and it can be read. */
function checkApplied(seen: Seen): string[] {
  const wrong: string[] = [];
  const applied = new Map<string, number>();
  for (const { commit, check, at, key, single, unscheduled, rev } of probeResults(seen)) {
    if (!single) continue;
    const isApplied = commit.changes.some(({ key }) => isCheckKey(key) && checkIdOf(key) === check.id);
    if (!isApplied) continue;
    const of = `${check.id} ${unscheduled === 'manual' ? key.sk : `${at} ${rev}`}`;
    applied.set(of, (applied.get(of) ?? 0) + 1);
    if (!seen.table.has(`${key.pk}|${key.sk}`)) wrong.push(`the result ${of} was applied but is not stored`);
  }
  for (const [of, times] of applied) if (times > 1) wrong.push(`the result ${of} was applied ${times} times`);
  return wrong;
}
