import { slotsOf } from '#test/faults/rules.ts';
import { PULL_INTERVAL_S, type Watched } from './fleet.ts';
import type { Life } from './lives.ts';
import type { Gap, Story } from './told.ts';

const INTERVAL_MS = PULL_INTERVAL_S * 1000;
/** Jobs due within so many ms travel together: a probe begins so much after its slot, and a slot may be cut off. */
const GROUP_MS = 50;

/** What became of the slots of one pull check. */
export type SlotCount = { due: number; executed: number; missed: Record<string, number> };

/**
 * Every slot of a pull check was executed once or lies in a gap, and one that fell due while the service was away lies
 * in an outage.
 * @param until epoch ms: what was due before is over by now
 */
export function judgeSlots(
  check: Watched,
  results: Story['feed'],
  gaps: Gap[],
  lives: Life[],
  until: number,
): { wrong: string[]; count: SlotCount } {
  const wrong: string[] = [];
  const count: SlotCount = { due: 0, executed: 0, missed: {} };
  // The probe at the creation takes the place of the slot before it.
  const slots = slotsOf(check.id, PULL_INTERVAL_S, Date.parse(check.created_at) + INTERVAL_MS, until);
  const begun = results.map((one) => Date.parse(one.checked_at));
  for (const slot of slots) {
    const times = begun.filter((at) => at >= slot && at < slot + INTERVAL_MS).length;
    const gap = gaps.find(({ from, to }) => from <= slot && slot < to);
    const name = `${check.name}: slot ${new Date(slot).toISOString()}`;
    count.due++;
    if (times > 0) count.executed++;
    else if (gap) count.missed[gap.cause] = (count.missed[gap.cause] ?? 0) + 1;
    if (times > 1) wrong.push(`${name} has ${times} results`);
    if (times > 0 && gap) wrong.push(`${name} has a result and counts as a gap`);
    if (times === 0 && !gap) wrong.push(`${name} has no result and is no gap`);
    if (times === 0 && gap && gap.cause !== 'outage' && isAway(lives, slot))
      wrong.push(`${name} fell due while the service was away and counts as ${gap.cause}`);
  }
  return { wrong, count };
}

/** Each time away is told as an outage, of a check that others push to as well. */
export function judgeAway(check: Watched, gaps: Gap[], lives: Life[]): string[] {
  return lives.slice(1).flatMap(({ spawned_at }, i) => {
    const from = lives[i]!.gone_at!;
    const isTold = gaps.some((gap) => gap.cause === 'outage' && gap.from <= from && gap.to >= spawned_at);
    const away = `${new Date(from).toISOString()} to ${new Date(spawned_at).toISOString()}`;
    return isTold ? [] : [`${check.name}: the time away from ${away} is no outage`];
  });
}

const isAway = (lives: Life[], slot: number): boolean =>
  lives.some(({ gone_at }, i) => gone_at !== undefined && slot > gone_at + GROUP_MS && slot < lives[i + 1]!.spawned_at);
