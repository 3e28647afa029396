import { afterEach, expect, it } from 'vitest';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

const kinds = async (check: { read(what: '/results'): Promise<{ results: { kind: string }[] }> }) =>
  (await check.read('/results')).results.map(({ kind }) => kind);

it('pages once for an outage that a manual run finds, and not again for later probes', async () => {
  service = await virtualService('09:30');
  const check = await alertingCheck(service, { interval_seconds: 3600 });
  await service.pass(60_000);
  service.host('shop.test').does('fails');
  expect(await service.call('POST', `/v1/checks/${check.id}/run`)).toMatchObject({ check_state: 'down' });
  await service.pass(2 * 3_600_000);
  expect(alertsAt(service).filter((line) => line.endsWith('down'))).toHaveLength(1);
  expect((await kinds(check)).filter((kind) => kind === 'manual')).toHaveLength(1);
});

it('records nothing of a manual run in which the service crashes', async () => {
  service = await virtualService('09:30');
  const check = await alertingCheck(service, { interval_seconds: 3600 });
  await service.pass(60_000);
  service.host('shop.test').does('fails');
  let deaths = 0;
  service.fatal.call = (host) => host === 'shop.test' && deaths++ === 0;
  await expect(service.call('POST', `/v1/checks/${check.id}/run`)).rejects.toThrow('undefined');
  await service.pass(10_000);
  expect(await kinds(check)).not.toContain('manual');
  expect(await check.read()).toMatchObject({ state: 'up', consecutive_failures: 0 });
  await service.call('POST', `/v1/checks/${check.id}/run`);
  expect((await kinds(check)).filter((kind) => kind === 'manual')).toHaveLength(1);
});
