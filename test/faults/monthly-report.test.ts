import { afterEach, expect, it } from 'vitest';
import { alertingCheck, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

const MINUTE_MS = 60_000;
const DUE = Date.parse('2026-12-01T08:00:00Z');

/**
 * Starts a service whose only member has enabled the report, with an outage of its check, then no ticks until December.
 */
async function reporting() {
  service = await virtualService('09:30', {}, 'one', true);
  const { user } = await service.call('GET', '/v1/me');
  await alertingCheck(service);
  const setReport = (monthly_report: boolean) =>
    service.call('PUT', `/v1/settings/users/${user.id}`, { monthly_report });
  await setReport(true);
  await service.until('09:33');
  service.host('shop.test').does('fails');
  await service.until('09:36');
  service.host('shop.test').does('answers');
  await service.until('09:38');
  service.ticks(false);
  await service.until(DUE - 5 * MINUTE_MS);
  return { user, setReport };
}

type Stored = { kind?: string; attempts?: number };
const stored = (kind: string) => (service.items() as Stored[]).filter((item) => item.kind === kind);
const reports = () => stored('monthly_report').filter(({ attempts }) => attempts !== undefined);

it('creates the monthly report at 08:00 UTC on the first of the month, once, with the figures of the last month', async () => {
  const { user } = await reporting();
  service.ticks(true);
  await service.until(DUE - 1000);
  expect(reports()).toEqual([]);
  await service.until(DUE + 5 * MINUTE_MS);
  expect(reports()).toMatchObject([
    {
      channel_id: user.id,
      created_at: '2026-12-01T08:00:00.000Z',
      report: {
        month: '2026-11',
        current: { down_seconds: 179.974, incidents: 1 },
        before: { uptime: null, coverage: null, down_seconds: 0, incidents: 0 },
        without_data: 0,
        worst: [{ name: 'Entity 1', down_seconds: 179.974 }],
      },
    },
  ]);
});

it('creates the report late after missing ticks, and once if the service crashes in the meantime', async () => {
  await reporting();
  await service.until(DUE + 60 * MINUTE_MS);
  service.ticks(true);
  let crashes = 0;
  service.fatal.send = (queue) => queue === 'delivery' && service.now() > DUE && crashes++ === 0;
  await service.until(DUE + 66 * MINUTE_MS);
  expect(crashes).toBeGreaterThan(0);
  expect(reports()).toMatchObject([{ created_at: '2026-12-01T08:00:00.000Z' }]);
});

it('creates no report for a member who has disabled it', async () => {
  const { setReport } = await reporting();
  await setReport(false);
  service.ticks(true);
  await service.until(DUE + 5 * MINUTE_MS);
  expect(reports()).toEqual([]);
  expect(stored('report')).toEqual([]);
});
