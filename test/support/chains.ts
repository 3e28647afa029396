import type { Client } from './client.ts';
import { everything, got } from './fleet.ts';

type Transition = Record<string, string> & { alert: { deliveries: string[] } };

/** Returns the transitions of a check, oldest first. */
export const transitionsOf = async (client: Client, check: string): Promise<Transition[]> =>
  (await everything(client, `/v1/checks/${check}/transitions?limit=500`)).reverse();

/** Returns the transitions of all entities, oldest first. */
export const feedOf = async (client: Client): Promise<Transition[]> =>
  (await everything(client, '/v1/status/transitions?limit=500')).reverse();

/** Returns the current states of entities and checks by id. */
export async function statesOf(client: Client): Promise<Map<string, { state: string }>> {
  const { entities } = got(await client.get('/v1/status'), 200);
  const checks = await everything(client, '/v1/checks');
  return new Map([...entities, ...checks].map(({ id, state }) => [id, { state }]));
}
