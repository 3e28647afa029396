import { afterEach, beforeEach, expect, it } from 'vitest';
import { alertingCheck, told, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
let check: Awaited<ReturnType<typeof alertingCheck>>;
beforeEach(async () => {
  service = await virtualService('09:30');
  check = await alertingCheck(service, { target_url: 'http://shop.test/', timeout_ms: 2000 });
  await service.pass(60_000);
});
afterEach(() => service.close());

/** A minute in which the service stands still for a part of each second. */
async function staggering(ms: number): Promise<void> {
  for (let second = 0; second < 60; second++) {
    await service.pass(1000);
    service.standStill(ms);
  }
}

it('a probe that times out while the service itself stands still is a gap, pages nobody and is logged', async () => {
  service.host('shop.test').does('hangs');
  await staggering(400);
  expect(told(service)).toEqual([]);
  const gaps = await check.read('/gaps');
  expect(gaps).toMatchObject([{ cause: 'late' }]);
  const line = service.log.lines.find(({ message }) => message.startsWith('probe discarded'));
  expect(line).toMatchObject({
    level: 'warn',
    fields: { check_id: check.id, slot: Date.parse(gaps[0].from), error_message: expect.stringContaining('no answer') },
  });

  // It hangs all the same, which a service that goes on finds out.
  await service.pass(60_000);
  expect(told(service)).toHaveLength(1);
  expect(await check.read()).toMatchObject({ state: 'down', last_result: { error_kind: 'timeout' } });
});

it.each(['refuses', 'fails'] as const)('a target that %s is down, though the service stands still', async (manner) => {
  service.host('shop.test').does(manner);
  await staggering(400);
  expect(told(service)).toHaveLength(1);
});

it('a target that hangs is down, though the service is busy', async () => {
  service.host('shop.test').does('hangs');
  await staggering(60);
  expect(told(service)).toHaveLength(1);
});
