import type { History, Transition } from './history.ts';

/**
 * Promise: the transitions of each entity and of each check form one chain: no link is missing or duplicated, each is
 * later than the previous one, and the last is the current state.
 */
export function checkChains({ transitions, states, feed }: Pick<History, 'transitions' | 'states' | 'feed'>): string[] {
  const wrong: string[] = [];
  if (new Set(transitions.map((one) => one.transition_id)).size < transitions.length)
    wrong.push('a transition exists twice');
  const entities = Map.groupBy(transitions, (one) => one.entity_id);
  const checks = Map.groupBy(transitions, (one) => one.check_id);
  for (const [id, chain] of entities) {
    wrong.push(...brokenLinks(`entity ${id}`, chain, 'from_state', 'to_state'));
    for (const [i, { transition_id, timestamp, seq = i + 1 }] of chain.entries()) {
      if (seq !== i + 1) wrong.push(`entity ${id}: transition number ${seq}, expected ${i + 1}`);
      if (i > 0 && timestamp <= chain[i - 1]!.timestamp)
        wrong.push(`entity ${id}: ${transition_id} is not later than the previous transition`);
      if (feed && !feed.has(transition_id)) wrong.push(`entity ${id}: ${transition_id} is not in the feed`);
    }
  }
  for (const [id, chain] of checks) {
    wrong.push(...brokenLinks(`check ${id}`, chain, 'check_from_state', 'check_to_state'));
    for (const [i, { transition_id, check_to_state }] of chain.entries()) {
      if (check_to_state === (chain[i - 1]?.check_to_state ?? 'unknown'))
        wrong.push(`check ${id}: ${transition_id} changes nothing`);
    }
  }
  for (const [id, { state, seq }] of states ?? []) {
    const chain = entities.get(id) ?? checks.get(id) ?? [];
    const last = (entities.has(id) ? chain.at(-1)?.to_state : chain.at(-1)?.check_to_state) ?? 'unknown';
    if (state !== last) wrong.push(`${id} is ${state}, but its last transition leads to ${last}`);
    if (seq !== undefined && seq !== chain.length)
      wrong.push(`${id} counts ${seq} transitions, but has ${chain.length}`);
  }
  return wrong;
}

function brokenLinks(
  of: string,
  chain: Transition[],
  from: 'from_state' | 'check_from_state',
  to: 'to_state' | 'check_to_state',
): string[] {
  const reached = ['unknown', ...chain.map((one) => one[to])];
  return chain.flatMap((one, i) =>
    one[from] === reached[i] ? [] : [`${of}: ${one.transition_id} begins at ${one[from]}, expected ${reached[i]}`],
  );
}
