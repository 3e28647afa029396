import { expect } from 'vitest';
import type { Client } from './client.ts';
import { everything, got } from './fleet.ts';

type Transition = Record<string, string> & { alert: { deliveries: string[] } };

/** The transitions of a check, oldest first. */
export const transitionsOf = async (client: Client, check: string): Promise<Transition[]> =>
  (await everything(client, `/v1/checks/${check}/transitions?limit=500`)).reverse();

/** The transitions of all entities, oldest first. */
export const feedOf = async (client: Client): Promise<Transition[]> =>
  (await everything(client, '/v1/status/transitions?limit=500')).reverse();

/**
 * Holds all transitions of an account to the rules: each begins where the one before it ended, per check and per
 * entity; times rise; no id comes twice; feed and checks tell the same; the last of each is the state it has now.
 * @returns how many there are
 */
export async function expectWholeChains(client: Client): Promise<number> {
  const feed = await feedOf(client);
  expect(new Set(feed.map((each) => each.id)).size, 'ids are unique').toBe(feed.length);

  for (const entity of got(await client.get('/v1/status'), 200).entities) {
    const chain = feed.filter((each) => each.entity_id === entity.id);
    expectChain(chain, 'from_state', 'to_state', entity.state);
    const times = chain.map((each) => each.timestamp!);
    expect(times, 'each is later than the one before').toEqual([...new Set(times)].sort());
  }
  for (const check of await everything(client, '/v1/checks')) {
    const chain = await transitionsOf(client, check.id);
    expectChain(chain, 'check_from_state', 'check_to_state', check.state);
    expect(feed.filter((each) => each.check_id === check.id)).toEqual(chain);
  }
  return feed.length;
}

function expectChain(chain: Transition[], from: string, to: string, state: string): void {
  const ends = ['unknown', ...chain.map((each) => each[to])];
  expect(
    chain.map((each) => each[from]),
    'each begins where the one before ended',
  ).toEqual(ends.slice(0, -1));
  expect(state, 'the last transition is the state').toBe(ends.at(-1));
}
