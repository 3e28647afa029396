import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action } from '#test/oracle/history.ts';
import { makeAuthority } from '#test/support/certificates.ts';
import type { Client } from '#test/support/client.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import { makeRandom, type Random } from '#test/support/random.ts';
import { beginLives, type Lives } from './lives.ts';
import { flapping, moody, type OutsideServer, startOutsideServer } from './outside.ts';
import { beginPings, type PingJobs } from './pings.ts';
import { Pipelines } from './pipelines.ts';

/** A check under load, with the facts for its evaluation. */
export type Watched = { id: string; name: string; created_at: string };
export type Configured = Action & { id: string };

/** Everything of one crash test: the service, its configuration, and the external systems. */
export type Fleet = {
  lives: Lives;
  client: Client;
  /** Push checks for pushes without an Idempotency-Key. */
  plain: Watched[];
  /** Push checks for pushes with an Idempotency-Key. */
  keyed: Watched[];
  /** Receives heartbeats all the time; its grace time is GRACE_S. */
  beating: Watched;
  /** Receives one heartbeat per round and then misses heartbeats. */
  mute: Watched;
  pulled: Watched[];
  actions: Configured[];
  manual: Configured;
  receiver: OutsideServer;
  target: OutsideServer;
  ci: OutsideServer;
  pipelines: Pipelines;
  jobs: PingJobs;
  /** Whether the target of pull checks is always up: before the first load, and after the last one. */
  calm: boolean;
};

export const GRACE_S = 3;
export const PULL_INTERVAL_S = 1;
/** Number of channels per check. */
export const CHANNELS = 2;
/** Address of actions, which the egress rules of the tests allow. */
const CI_HOST = '127.77.0.4';

/** Creates the fleet; `stack` disposes of everything. */
export async function makeFleet(stack: AsyncDisposableStack, seed: number): Promise<Fleet> {
  const random = makeRandom(seed);
  const authority = await makeAuthority();
  const trusted = mkdtempSync(join(tmpdir(), 'fleetwatch-trust-'));
  stack.defer(() => rmSync(trusted, { recursive: true, force: true }));
  writeFileSync(join(trusted, 'ca.pem'), authority.cert);

  const state = { calm: true };
  const place = async (options: Parameters<typeof startOutsideServer>[0]) =>
    stack.use(await startOutsideServer(options));
  const receiver = await place({
    host: '127.0.0.1',
    tls: await authority.issue({ names: ['127.0.0.1'] }),
    header: 'x-service-delivery',
    answer: () => moody(random),
  });
  const target = await place({ host: '127.0.0.1', answer: flapping(random, () => state.calm) });
  const lives = stack.use(await beginLives({ NODE_EXTRA_CA_CERTS: join(trusted, 'ca.pem') }));
  const { client } = lives.service;
  const pipelines = new Pipelines(client);
  const ci = await place({ host: CI_HOST, answer: (arrival) => pipelines.begin(arrival, random) });
  const made = await configure(client, { receiver, target, ci, random });
  const jobs = await beginPings(lives);
  return Object.assign(state, { lives, client, receiver, target, ci, pipelines, jobs, ...made });
}

type Around = { receiver: OutsideServer; target: OutsideServer; ci: OutsideServer; random: Random };

async function configure(client: Client, { receiver, target, ci, random }: Around) {
  const entities = [await newEntity(client), await newEntity(client), await newEntity(client)];
  const check = async (entity: number, name: string, more: object, policy: object = {}): Promise<Watched> => {
    const entity_id = entities[entity]!.id;
    const { id, created_at } = got(
      await client.post('/v1/checks', { entity_id, name, failure_threshold: 1, ...more }),
      201,
    );
    const rules = { cooldown_seconds: 0, late_alerts: random.chance(0.5), ...policy };
    got(await client.post(`/v1/checks/${id}/policy`, rules), 200);
    for (let i = 0; i < CHANNELS; i++) {
      const config = { url: `${receiver.url}/${name}/${i}`, secret: 'signed' };
      got(await client.post(`/v1/checks/${id}/policy/channels`, { channel_type: 'webhook', config }), 201);
    }
    return { id, name, created_at };
  };
  const push = { check_type: 'push', interval_seconds: 3600 };
  const pull = (n: number, failure_threshold: number) => ({
    check_type: 'http',
    interval_seconds: PULL_INTERVAL_S,
    target_url: `${target.url}/${n}`,
    failure_threshold,
  });
  const missing = { check_type: 'push', interval_seconds: 1, config: { grace_seconds: GRACE_S } };
  const plain = [await check(0, 'plain-1', push), await check(1, 'plain-2', push)];
  const keyed = [await check(0, 'keyed-1', push), await check(1, 'keyed-2', push)];
  const beating = await check(1, 'beating', missing);
  const mute = await check(2, 'mute', missing, { repeat_interval_seconds: 2 });
  const pulled = [
    await check(2, 'pull-1', pull(1, 1)),
    await check(2, 'pull-2', pull(2, 2)),
    await check(0, 'pull-3', pull(3, 1)),
  ];

  const action = {
    url: `${ci.url}/run`,
    body_template: '{"run": "{{execution_id}}", "transition": "{{transition_id}}"}',
    timeout_ms: 3_000,
  };
  const fired = async (name: string, check_id: string, trigger_to_state: string): Promise<Configured> =>
    got(
      await client.post('/v1/actions', { ...action, name, trigger_type: 'state_change', check_id, trigger_to_state }),
      201,
    );
  const actions = [await fired('Roll back', plain[0]!.id, 'down'), await fired('Look', pulled[0]!.id, '')];
  const manual: Configured = got(
    await client.post('/v1/actions', { ...action, name: 'By hand', trigger_type: 'manual' }),
    201,
  );
  return { plain, keyed, beating, mute, pulled, actions, manual };
}
