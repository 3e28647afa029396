import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';
import { checksIn, type Inside, keyText } from './inside.ts';

/** So long (ms) after its deadline a held alert may wait for the schedule, or to be tried again. */
const SLACK_MS = 10 * 60_000;

/**
 * No alert stays held: each that is held at the end belongs to the last change of a check, and a deadline looks at it,
 * which has not passed long ago where nothing fails.
 */
export function checkHolds({ seen, keys, end, profile }: Inside): string[] {
  const items = [...seen.table.values()];
  const transitions = items.filter((item): item is TransitionItem => item.sk.startsWith('TR#'));
  const checks = new Map(checksIn(seen).map((check) => [check.id, check]));
  const wrong: string[] = [];
  for (const [id, own] of Map.groupBy(transitions, ({ check_id }) => check_id)) {
    const check = checks.get(id);
    if (!check) continue;
    const last = own.reduce((a, b) => (a.sk > b.sk ? a : b));
    const entry = seen.table.get(keyText(keys.entry('hold', check.tenant_id, id))) as DeadlineEntry | undefined;
    for (const one of own.filter(({ alert }) => alert.decision === 'held')) {
      if (one !== last) wrong.push(`${one.transition_id} is held, but its check has changed since`);
      else if (entry?.note?.held?.transition_sk !== one.sk)
        wrong.push(`${one.transition_id} is held, and no deadline looks at it`);
      else if (profile.quiet && entry.deadline < end - SLACK_MS)
        wrong.push(`${one.transition_id} is held, and was to be looked at long ago`);
    }
    if (entry && last.alert.decision !== 'held') wrong.push(`${id} has a deadline of an alert that is not held`);
  }
  return wrong;
}
