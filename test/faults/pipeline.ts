import type { Reported } from '#test/oracle/history.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Observations } from './observations.ts';
import type { Client } from './requests.ts';

type World = { random: Random; clock: VirtualClock; seen: Observations; client: Client };

/**
 * Runs a pipeline that an action started: reports its start, some lines, and its outcome; repeats each report until it
 * is acknowledged.
 */
export async function runPipeline(world: World, execution_id: string): Promise<void> {
  const { random, clock } = world;
  const steps = ['running', undefined, random.pick(['succeeded', 'failed'])];
  for (const [step, status] of steps.entries()) {
    await clock.sleep(random.int(10, 8000));
    const lines = Array.from({ length: status ? random.int(0, 2) : 3 }, (_, i) => `${step}.${i}`);
    if (!(await report(world, { execution_id, ...(status && { status }), lines, tries: 0 }))) return;
  }
}

async function report({ random, clock, seen, client }: World, one: Reported): Promise<boolean> {
  seen.reports.push(one);
  const { status, lines } = one;
  const body = { ...(status && { status }), ...(lines.length > 0 && { logs: lines }) };
  while (one.tries++ < 10) {
    const response = await client('POST', `/v1/actions/executions/${one.execution_id}/events`, body);
    if (response) one.status_code = response.status;
    if (response && response.status < 500) return response.status === 200;
    await clock.sleep(random.int(200, 3000));
  }
  return false;
}
