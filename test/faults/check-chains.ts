import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { Run } from './simulate.ts';

/** The history as a reader finds it at the end: no link missing, none double, and the last one is the present. */
export function checkChains({ seen }: Run): string[] {
  const wrong: string[] = [];
  const items = [...seen.table.values()];
  const transitions = items.filter((item): item is TransitionItem => item.sk.startsWith('TR#'));
  const by = (member: 'check_id' | 'entity_id') => Map.groupBy(transitions, (one) => one[member]);
  const feed = new Set(
    items.flatMap((item) => ('transition_sk' in item && item.pk.includes('#FEED#') ? [item.transition_sk] : [])),
  );

  for (const [id, chain] of by('entity_id')) {
    chain.sort((a, b) => a.seq - b.seq);
    let state = 'unknown';
    let last = 0;
    for (const [i, one] of chain.entries()) {
      if (one.seq !== i + 1) wrong.push(`entity ${id}: number ${one.seq} stands where ${i + 1} should`);
      if (one.from_state !== state)
        wrong.push(`entity ${id}: ${one.transition_id} begins with ${one.from_state}, not ${state}`);
      if (Date.parse(one.timestamp) <= last) wrong.push(`entity ${id}: ${one.transition_id} is out of time`);
      if (!feed.has(one.sk)) wrong.push(`entity ${id}: ${one.transition_id} is not in the feed`);
      state = one.to_state;
      last = Date.parse(one.timestamp);
    }
    const entity = items.find((item): item is EntityItem => item.sk === id && item.pk.includes('#ENTITIES#'));
    if (entity && entity.state !== state)
      wrong.push(`entity ${id} is ${entity.state}, its last transition says ${state}`);
    if (entity && entity.seq !== chain.length) wrong.push(`entity ${id} counts ${entity.seq}, it has ${chain.length}`);
  }
  for (const [id, chain] of by('check_id')) {
    chain.sort((a, b) => (a.sk < b.sk ? -1 : 1));
    let state = 'unknown';
    for (const one of chain) {
      if (one.check_from_state !== state)
        wrong.push(`check ${id}: ${one.transition_id} begins with ${one.check_from_state}, not ${state}`);
      if (one.check_to_state === state) wrong.push(`check ${id}: ${one.transition_id} changes nothing`);
      state = one.check_to_state;
    }
  }
  for (const check of items.filter((item): item is CheckItem => item.sk === 'CHECK')) {
    const last = transitions.filter((one) => one.check_id === check.id).at(-1)?.check_to_state ?? 'unknown';
    if (check.state !== last) wrong.push(`check ${check.id} is ${check.state}, its last transition says ${last}`);
  }
  return wrong;
}
