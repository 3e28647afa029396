import type { Answer } from '#test/support/client.ts';
import { everything, got } from '#test/support/fleet.ts';
import type { Fleet, Watched } from './fleet.ts';
import type { Arrival } from './outside.ts';

/** A record as the service tells it. */
type Told = Answer['body'];

/** What the service tells of itself at one moment, and what had arrived outside by then. */
export type Story = {
  /** Transitions of all entities, oldest first. */
  feed: Told[];
  /** Deliveries by id. */
  deliveries: Map<string, Told>;
  /** Executions of all actions. */
  executions: Told[];
  /** What the receiver and the pipelines had got before the service was asked. */
  received: Arrival[];
  started: Arrival[];
};

/** Asks for everything that is told once: transitions, then deliveries and runs, which follow from them. */
export async function storyOf(fleet: Fleet): Promise<Story> {
  const { client } = fleet;
  const received = [...fleet.receiver.arrivals];
  const started = [...fleet.ci.arrivals];
  const feed = (await everything(client, '/v1/status/transitions?limit=500')).reverse();
  const deliveries = await everything(client, '/v1/notify/logs?limit=1000');
  const executions: Told[] = [];
  for (const { id } of [...fleet.actions, fleet.byHand]) {
    executions.push(...(await everything(client, `/v1/actions/${id}/executions?limit=200`)));
  }
  return { feed, deliveries: new Map(deliveries.map((one) => [one.id, one])), executions, received, started };
}

/** The results of a check since an instant (epoch ms), oldest first. */
export const resultsOf = async ({ client }: Fleet, check: string, since: number): Promise<Told[]> =>
  (await everything(client, `/v1/checks/${check}/results?limit=500&since=${new Date(since).toISOString()}`)).reverse();

/** [from, to) in epoch ms, and why. */
export type Gap = { from: number; to: number; cause: string };

/** The gaps of a pull check, ascending. */
export async function gapsOf({ client }: Fleet, check: Watched): Promise<Gap[]> {
  const gaps = await everything(client, `/v1/checks/${check.id}/gaps`);
  return gaps.map(({ from, to, cause }) => ({ from: Date.parse(from), to: Date.parse(to), cause }));
}

/** The states that entities and checks have now, by id. */
export async function statesNow({ client }: Fleet): Promise<Map<string, string>> {
  const { entities } = got(await client.get('/v1/status'), 200);
  const checks = await everything(client, '/v1/checks');
  return new Map([...entities, ...checks].map(({ id, state }) => [id, state]));
}
