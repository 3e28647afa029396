import { expect } from 'vitest';
import { feedOf, statesOf, transitionsOf } from '#test/support/chains.ts';
import type { Client } from '#test/support/client.ts';
import { checkChains } from './chains.ts';
import type { Transition } from './history.ts';

/**
 * Asserts the chain rules for all transitions of an account, in the feed and per check. @returns their number
 */
export async function expectWholeChains(client: Client): Promise<number> {
  const feed = await feedOf(client);
  const states = await statesOf(client);
  expect(checkChains({ transitions: feed as unknown as Transition[], states })).toEqual([]);
  for (const id of states.keys()) {
    if (id.startsWith('chk_'))
      expect(feed.filter((each) => each.check_id === id)).toEqual(await transitionsOf(client, id));
  }
  return feed.length;
}
