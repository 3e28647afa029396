import type { Story } from './told.ts';

/** The transitions of every entity and every check: no link missing, none twice, each later than the one before. */
export function judgeChains({ feed }: Pick<Story, 'feed'>): string[] {
  const wrong: string[] = [];
  if (new Set(feed.map((one) => one.id)).size < feed.length) wrong.push('a transition stands in the feed twice');
  for (const [id, chain] of Map.groupBy(feed, (one) => String(one.entity_id))) {
    wrong.push(...brokenLinks(`entity ${id}`, chain, 'from_state', 'to_state'));
    for (const [i, one] of chain.entries()) {
      if (i > 0 && one.timestamp <= chain[i - 1].timestamp) wrong.push(`entity ${id}: ${one.id} is out of time`);
    }
  }
  for (const [id, chain] of Map.groupBy(feed, (one) => String(one.check_id))) {
    wrong.push(...brokenLinks(`check ${id}`, chain, 'check_from_state', 'check_to_state'));
    for (const one of chain) {
      if (one.check_from_state === one.check_to_state) wrong.push(`check ${id}: ${one.id} changes nothing`);
    }
  }
  return wrong;
}

function brokenLinks(of: string, chain: Story['feed'], from: string, to: string): string[] {
  const ends = ['unknown', ...chain.map((one) => one[to])];
  return chain
    .filter((one, i) => one[from] !== ends[i])
    .map((one) => `${of}: ${one.id} begins with ${one[from]}, where ${ends[chain.indexOf(one)]} had been reached`);
}

/** The last transition of each is the state it has: for a story that was told while nothing changed. */
export function judgeStates({ feed }: Pick<Story, 'feed'>, now: Map<string, string>): string[] {
  const last = new Map<string, string>();
  for (const one of feed) {
    last.set(one.entity_id, one.to_state);
    last.set(one.check_id, one.check_to_state);
  }
  return [...now].flatMap(([id, state]) => {
    const told = last.get(id) ?? 'unknown';
    return told === state ? [] : [`${id} is ${state}, its last transition says ${told}`];
  });
}
