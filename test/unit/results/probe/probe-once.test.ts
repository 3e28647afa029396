import { expect, it } from 'vitest';
import type { AccountItem } from '#lib/access/account.ts';
import { probeOnce } from '#lib/results/slots/due-checks.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { healthWorld, intervalScheduleOfCheck, jobOfCheck } from '#test/support/health-world.ts';

it('does not start a probe when the next slot is due, because it would count for that slot', async () => {
  const world = await healthWorld();
  const check = await world.check();
  let asked = 0;
  const http = async () => {
    asked++;
    return { status: 200, headers: {}, body: '', latency_ms: 5 };
  };
  const ports = { ...world.ports, net: { ...world.ports.net, http } };
  const slot = latestSlot(intervalScheduleOfCheck(check), ports.clock.now());
  const account = { egress: 'any', retention_days: 30 } as AccountItem;
  const probed = () => probeOnce(ports, { job: jobOfCheck(check, slot), check, account });

  world.advance(slot + 59_999 - ports.clock.now());
  expect(await probed()).toMatchObject({ slot, started_at: slot + 59_999, outcome: { success: true } });
  world.advance(1);
  expect(await probed()).toBeUndefined();
  expect(asked).toBe(1);
});
