import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cellOf } from '#lib/keys.ts';
import { intervalScheduleOf } from '#lib/schedule/slots.ts';
import { eventually } from '#test/support/eventually.ts';
import { type Caller, newEntity, newPushCheck } from './client.ts';
import type { Arrival } from './healthy.ts';
import type { Pulled } from './slots.ts';

/** The tenant that must not be affected. */
export type Victim = {
  caller: Caller;
  /** Checks that are probed every second; their target is always up. */
  pulled: Pulled[];
  /** Push checks, initially up, each with one channel and one action on every change. */
  flipping: string[];
  receiver: Receiver;
};

export type Receiver = Disposable & { url: string; arrivals(): Promise<Arrival[]> };

/** Address from which the victim calls. */
export const HOME = '127.77.0.2';

const PULLED = 20;
const FLIPPING = 4;
const INTERVAL_SECONDS = 1;

/** Starts the victim's target and receiver in one process. */
export async function startReceiver(): Promise<Receiver> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'healthy.ts'));
  const [{ url }] = await once(child, 'message');
  return {
    url,
    arrivals: async () => {
      child.send('arrivals');
      return (await once(child, 'message'))[0] as Arrival[];
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** Creates the records of the victim and waits until its checks are up. */
export async function makeVictim(caller: Caller, receiver: Receiver): Promise<Victim> {
  await caller.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const entity_id = await newEntity(caller, 'shop');
  const pulled: Pulled[] = [];
  for (let n = 0; n < PULLED; n++) {
    const settings = { entity_id, check_type: 'http', interval_seconds: INTERVAL_SECONDS, failure_threshold: 1 };
    const { id } = await caller.need('POST', '/v1/checks', { ...settings, target_url: `${receiver.url}/target/${n}` });
    pulled.push({ id, schedule: intervalScheduleOf(cellOf(id), INTERVAL_SECONDS) });
  }
  const jobs = await newEntity(caller, 'jobs');
  const flipping: string[] = [];
  for (let n = 0; n < FLIPPING; n++) {
    const check_id = await newPushCheck(caller, jobs, [`${receiver.url}/alert/${n}`]);
    const url = `${receiver.url}/action/{{transition_id}}`;
    await caller.need('POST', '/v1/actions', { name: `On flip ${n}`, url, trigger_type: 'state_change', check_id });
    flipping.push(check_id);
  }
  await eventually(async () => {
    const { total, up } = await caller.need('GET', '/v1/status');
    const checks = await caller.all('/v1/checks');
    return total === up && checks.every(({ state }) => state === 'up');
  }, 20_000);
  return { caller, pulled, flipping, receiver };
}
