import { afterEach, beforeEach, expect, it } from 'vitest';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
let check: Awaited<ReturnType<typeof alertingCheck>>;
beforeEach(async () => {
  service = await virtualService('09:30');
  check = await alertingCheck(service, { target_url: 'http://shop.test/', timeout_ms: 2000 });
  await service.pass(60_000);
});
afterEach(() => service.close());

/** Runs a minute in which the service stalls for a part of each second. */
async function stallRepeatedly(ms: number): Promise<void> {
  for (let second = 0; second < 60; second++) {
    await service.pass(1000);
    service.stallFor(ms);
  }
}

it('records and logs a probe that times out during a stall of the service as a gap, without an alert', async () => {
  service.host('shop.test').does('hangs');
  await stallRepeatedly(400);
  expect(alertsAt(service)).toEqual([]);
  const gaps = await check.read('/gaps');
  expect(gaps).toMatchObject([{ cause: 'late' }]);
  const line = service.log.lines.find(({ message }) => message.startsWith('probe discarded: the process stalled'));
  expect(line).toMatchObject({
    level: 'warn',
    fields: {
      check_id: check.id,
      slot: Date.parse(gaps[0].from),
      error_message: expect.stringContaining('no response'),
    },
  });

  // The target really hangs, which the service finds out after the stall.
  await service.pass(60_000);
  expect(alertsAt(service)).toHaveLength(1);
  expect(await check.read()).toMatchObject({ state: 'down', last_result: { error_kind: 'timeout' } });
});

it.each(['refuses', 'fails'] as const)(
  'records a target that %s as down, although the service stalls',
  async (manner) => {
    service.host('shop.test').does(manner);
    await stallRepeatedly(400);
    expect(alertsAt(service)).toHaveLength(1);
  },
);

it('records a target that hangs as down, although the service is busy', async () => {
  service.host('shop.test').does('hangs');
  await stallRepeatedly(60);
  expect(alertsAt(service)).toHaveLength(1);
});
