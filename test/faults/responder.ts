import { checksIn } from '#test/oracle/inside.ts';
import type { OperatorWorld } from './alerting-bodies.ts';
import { insist } from './requests.ts';

/**
 * Simulates a user on call who acknowledges failures, mostly until recovery, and sometimes removes an acknowledgement.
 */
export async function runResponder({ random, clock, seen, client }: OperatorWorld, end: number): Promise<void> {
  for (;;) {
    await clock.sleep(random.int(10_000, 60_000));
    const now = clock.now();
    if (now >= end) return;
    const failing = checksIn(seen).filter(({ alerts }) => alerts.episode);
    if (failing.length === 0) continue;
    const { id, alerts } = random.pick(failing);
    const path = `/v1/checks/${id}/acknowledge`;
    if (alerts.episode?.acknowledgement && random.chance(0.5))
      await insist(random, clock, () => client('DELETE', path));
    else {
      const until = random.chance(0.4) && new Date(now + random.int(20_000, 200_000)).toISOString();
      const body = { ...(until && { until }), note: 'on it' };
      await insist(random, clock, () => client('POST', path, body), 3);
    }
  }
}
