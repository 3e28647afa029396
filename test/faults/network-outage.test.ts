import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manner } from './virtual-hosts.ts';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

type Alerting = Awaited<ReturnType<typeof alertingCheck>>;
let service: VirtualService;
let checks: Alerting[];
afterEach(() => service.close());

const MINUTE = 60_000;
/** Creates checks of `t0.test`, `t1.test` and so on, probed every ten seconds. */
async function begin(count: number, settings: Record<string, string>, more: object = {}): Promise<void> {
  service = await virtualService('09:30', settings);
  checks = [];
  for (let i = 0; i < count; i++) {
    checks.push(await alertingCheck(service, { target_url: `http://t${i}.test/`, timeout_ms: 2000, ...more }));
  }
  await service.pass(2 * MINUTE);
}

/** Sets the behavior of the targets and the reference host, then lets five minutes pass. */
async function then(targets: Manner, referenceHost: Manner): Promise<void> {
  for (let i = 0; i < checks.length; i++) service.host(`t${i}.test`).does(targets);
  service.host('127.0.0.1').does(targets);
  service.host('.').does(referenceHost);
  await service.pass(5 * MINUTE);
}

const pages = () => alertsAt(service).filter((line) => line.endsWith('state_change down'));
const causesOf = async (check: Alerting) => (await check.read('/gaps')).map(({ cause }: { cause: string }) => cause);

describe.each([
  ['some checks are probed together', { JOB_GROUP_MS: '1000' }],
  ['each check is probed alone, as on one machine', { JOB_GROUP_MS: '10' }],
])('when %s', (_how, settings) => {
  beforeEach(() => begin(20, settings));

  it('records a gap without a page if neither the hosts nor the reference host respond', async () => {
    await then('hangs', 'hangs');
    expect(pages()).toEqual([]);
    for (const check of checks) expect(await causesOf(check)).toEqual(['network']);
    await then('answers', 'answers');
    expect(alertsAt(service)).toEqual([]);
    for (const check of checks) expect((await check.read()).state).toBe('up');
    const { uptime_ratio, gap_seconds } = await checks[5]!.read('/sparkline');
    expect(uptime_ratio).toBe(1);
    expect(gap_seconds).toBeGreaterThanOrEqual(290);
  });

  it('pages for all hosts without a response if the reference host responds', async () => {
    await then('hangs', 'answers');
    expect(pages()).toHaveLength(20);
  });

  it('pages for all hosts that refuse connections, whatever the reference host', async () => {
    await then('refuses', 'hangs');
    expect(pages()).toHaveLength(20);
  });
});

describe('after a network outage, before any response', () => {
  beforeEach(async () => {
    await begin(3, {});
    await then('hangs', 'hangs');
    service.host('.').does('answers');
  });

  it('lets a new check find its target down immediately', async () => {
    service.host('new.test').does('hangs');
    const settings = { target_url: 'http://new.test/', timeout_ms: 2000, interval_seconds: 600 };
    const made = await alertingCheck(service, settings);
    await service.pass(5_000);
    expect((await made.read()).state).toBe('down');
  });

  it('lets a manual run find its target down', async () => {
    const { check_state } = await service.call('POST', `/v1/checks/${checks[0]!.id}/run`);
    expect(check_state).toBe('down');
  });
});

it('retries a slow target on this machine during a network outage, even a second before its next slot', async () => {
  await begin(3, {});
  await then('hangs', 'hangs');
  service.host('127.0.0.1').does('answers');
  const settings = { retry_interval_seconds: 9, failure_threshold: 2, timeout_ms: 5000 };
  const near = await alertingCheck(service, { target_url: 'http://127.0.0.1/', ...settings });
  await service.pass(MINUTE);
  const { calls, does } = service.host('127.0.0.1');
  does('hangs');
  const before = calls.length;
  while (calls.length === before) await service.pass(100);
  await service.pass(6_000);
  does('answers');
  await service.pass(5_000);
  const { results } = await near.read('/results');
  const failed = results.findIndex(({ success }: { success: boolean }) => !success);
  expect(results[failed]).toMatchObject({ kind: 'scheduled' });
  expect(results[failed - 1]).toMatchObject({ kind: 'retry', success: true });
});

it('records failed lookups by the service’s own resolver as a network outage too', async () => {
  await begin(4, {});
  const config = { hostname: 'zone.test', record_type: 'A' };
  const dns = await alertingCheck(service, { check_type: 'dns', config, interval_seconds: 10, timeout_ms: 2000 });
  await service.pass(MINUTE);
  service.host('zone.test').does('hangs');
  await then('hangs', 'hangs');
  expect(pages()).toEqual([]);
  expect(await causesOf(dns)).toEqual(['network']);
  await then('answers', 'answers');
  expect(pages()).toHaveLength(1);
  expect((await dns.read()).state).toBe('down');
});

describe('a service with unresponsive targets', () => {
  const apart = { JOB_GROUP_MS: '50' };

  it('pages when only two hosts are monitored', async () => {
    await begin(2, apart);
    await then('hangs', 'hangs');
    expect(pages()).toHaveLength(2);
  });

  it('pages when many checks monitor two hosts', async () => {
    await begin(2, apart);
    for (let i = 0; i < 6; i++)
      await alertingCheck(service, { target_url: `http://t${i % 2}.test/${i}`, timeout_ms: 2000 });
    await service.pass(MINUTE);
    await then('hangs', 'hangs');
    expect(pages()).toHaveLength(8);
  });

  it('pages when the targets are on this machine', async () => {
    service = await virtualService('09:30', apart);
    checks = [];
    for (let i = 0; i < 5; i++)
      checks.push(await alertingCheck(service, { target_url: `http://127.0.0.1:${8000 + i}/`, timeout_ms: 2000 }));
    await service.pass(2 * MINUTE);
    await then('hangs', 'hangs');
    expect(pages()).toHaveLength(5);
  });

  it('pages when the reference host never responded', async () => {
    service = await virtualService('09:30', apart);
    service.host('.').does('hangs');
    checks = [];
    for (let i = 0; i < 5; i++)
      checks.push(await alertingCheck(service, { target_url: `http://t${i}.test/`, timeout_ms: 2000 }));
    await service.pass(2 * MINUTE);
    await then('hangs', 'hangs');
    expect(pages()).toHaveLength(5);
  });

  it('pages without a reference host', async () => {
    await begin(5, { ...apart, REFERENCE_HOST: '' });
    await then('hangs', 'answers');
    expect(pages()).toHaveLength(5);
  });

  it('pages for one host that does not respond while others do', async () => {
    await begin(10, apart);
    service.host('t3.test').does('hangs');
    service.host('.').does('hangs');
    await service.pass(5 * MINUTE);
    expect(pages()).toHaveLength(1);
  });
});

describe('an internal error', () => {
  it('causes a gap with the cause error while it lasts, and does not page', async () => {
    await begin(3, {});
    service.host('t0.test').does('breaks');
    await service.pass(5 * MINUTE);
    service.host('t0.test').does('answers');
    await service.pass(MINUTE);
    expect(alertsAt(service)).toEqual([]);
    const gaps = await checks[0]!.read('/gaps');
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toMatchObject({ cause: 'error' });
    expect(gaps[0].slots).toBeGreaterThanOrEqual(28);
    expect(await causesOf(checks[1]!)).toEqual([]);
    expect(service.log.lines.some(({ message }) => message === 'probe not recorded')).toBe(true);
  });
});
