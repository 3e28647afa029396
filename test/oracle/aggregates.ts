import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { type Change, type Commit, isCheckKey } from './inside.ts';
import { entityState } from './rules.ts';

/** Promise: an entity has the states of its checks and their aggregate, and its changes form an unbroken chain. */
export function checkAggregate(commit: Commit, change: Change, say: (text: string) => void): void {
  const before = change.before as EntityItem | undefined;
  const after = change.after as EntityItem | undefined;
  if (!before || !after) return;
  const checks = { ...before.checks };
  for (const one of commit.changes.filter(({ key }) => isCheckKey(key))) {
    const [old, now] = [one.before as CheckItem | undefined, one.after as CheckItem | undefined];
    if (now) checks[now.id] = now.state;
    else if (old) delete checks[old.id];
  }
  const sorted = (map: object) => JSON.stringify(Object.entries(map).sort());
  if (sorted(after.checks) !== sorted(checks))
    say(`entity ${after.id} has the check states ${sorted(after.checks)}, expected ${sorted(checks)}`);
  if (after.state !== entityState(checks)) say(`entity ${after.id} is ${after.state}, expected ${entityState(checks)}`);

  const transitions = commit.changes
    .filter(({ key, before }) => key.sk.startsWith('TR#') && !before)
    .map((one) => one.after as TransitionItem);
  if (after.seq !== before.seq + transitions.length) say(`entity ${after.id} has seq ${after.seq} after ${before.seq}`);
  for (const one of transitions) {
    if (one.from_state !== before.state || one.to_state !== after.state)
      say(`transition ${one.transition_id} breaks the chain`);
    if (one.seq !== before.seq + 1) say(`transition ${one.transition_id} has seq ${one.seq} after ${before.seq}`);
    if (Date.parse(one.timestamp) <= before.last_transition_at)
      say(`transition ${one.transition_id} is not later than the previous one`);
  }
}
