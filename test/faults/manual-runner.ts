import { checksIn } from '#test/oracle/inside.ts';
import { slotsOf } from '#test/oracle/rules.ts';
import type { OperatorWorld } from './alerting-bodies.ts';

/**
 * Simulates a user who runs checks manually, sometimes at the time of a slot or several times at once, and occasionally
 * tests settings.
 */
export async function runManualRunner({ random, clock, seen, client }: OperatorWorld, end: number): Promise<void> {
  const run = async (check_id: string): Promise<void> => {
    const response = await client('POST', `/v1/checks/${check_id}/run`);
    if (response?.status === 201) seen.manualRuns.push({ check_id, answer: response.body as never });
  };
  for (;;) {
    await clock.sleep(random.int(5_000, 60_000));
    const checks = checksIn(seen);
    const now = clock.now();
    if (now >= end || checks.length === 0) return;
    const { id, interval_seconds, execution_mode } = random.pick(checks);
    if (random.chance(0.2)) {
      await client('POST', '/v1/checks/test', { check_id: id, timeout_ms: 1000 });
      continue;
    }
    if (execution_mode === 'pull' && random.chance(0.5)) {
      const [slot = now] = slotsOf(id, interval_seconds, now, now + interval_seconds * 1000);
      await clock.sleep(Math.max(0, slot - now + random.int(-60, 400)));
    }
    await Promise.all(Array.from({ length: random.pick([1, 1, 1, 2, 4]) }, () => run(id)));
  }
}
