import { afterEach, beforeEach, expect, it } from 'vitest';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('00:30');
});
afterEach(() => service.close());

/** Creates a check of a backup at 02:30 in Berlin, which is 01:30 in UTC. */
const nightly = () =>
  alertingCheck(service, {
    check_type: 'push',
    failure_threshold: 1,
    config: { schedule: '30 2 * * *', timezone: 'Europe/Berlin' },
  });

it('pages an hour after a report was due, but not if it arrived', async () => {
  const [missing, alive] = [await nightly(), await nightly()];
  for (const { push } of [missing, alive]) await push(true);
  await service.until('01:45');
  expect(await alive.read()).toMatchObject({ late: true, alerts_at: '2026-11-21T02:30:00.000Z' });
  await alive.push(true);
  expect(await alive.read()).toMatchObject({ late: false, alerts_at: '2026-11-22T02:30:00.000Z' });
  await service.until('02:29');
  expect(alertsAt(service)).toEqual([]);
  await service.until('02:32');
  expect(alertsAt(service)).toEqual(['02:30 state_change down']);
  expect(await alive.read()).toMatchObject({ state: 'up' });
  const [down] = await missing.read('/transitions');
  expect(down.error_message).toBe(
    'no heartbeat for the run due 2026-11-21 02:30 Europe/Berlin (grace 3600 s); last 2026-11-21 01:30',
  );
});

it.each(['a first report', 'a run that starts'])(
  'alerts ten minutes after %s, even after an outage of the service that delayed the first deadline',
  async (what) => {
    const check = await alertingCheck(service, {
      check_type: 'push',
      failure_threshold: 1,
      config: { grace_seconds: 600, max_run_seconds: 600, expect_first_within_seconds: 7200 },
    });
    await service.until('02:00');
    service.away(10 * 60_000);
    // The first heartbeat was due at 02:30, and is now due at 04:10.
    await service.until('02:40');
    if (what === 'a first report') await check.push(true);
    else await service.call('GET', `${(await check.read()).ping_url}/start`);
    expect(await check.read()).toMatchObject({ alerts_at: expect.stringMatching(/T02:50:00/) });
    await service.until('02:49');
    expect(alertsAt(service)).toEqual([]);
    await service.until('02:51');
    expect(alertsAt(service)).toEqual(['02:50 state_change down']);
  },
);

it('does not page after a ten-minute outage of the service at the due time', async () => {
  const check = await nightly();
  await check.push(true);
  await service.until('01:25');
  service.away(10 * 60_000);
  await service.until('04:00');
  expect(alertsAt(service)).toEqual([]);
  expect(await check.read()).toMatchObject({ state: 'up', late: false, alerts_at: '2026-11-22T02:30:00.000Z' });
});
