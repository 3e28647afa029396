import { afterEach, expect, it } from 'vitest';
import { checksIn } from '#test/oracle/inside.ts';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

type Check = Awaited<ReturnType<typeof alertingCheck>>;
type Result = { kind: string; checked_at: string; success: boolean };

/** Returns the results of a check, oldest first. */
const resultsOf = async (check: Check): Promise<Result[]> => (await check.read('/results')).results.toReversed();
/** Returns the number of results that the sparkline counts, one per slot. */
const countedResults = async (check: Check) => {
  const { points } = await check.read('/sparkline');
  return points.reduce(
    (sum: number, point: { successes: number; failures: number }) => sum + point.successes + point.failures,
    0,
  );
};
const seconds = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 1000);

/** Creates a check with an interval of a minute that goes down after three failures and was up for some minutes. */
async function steadyCheck(more: object = {}): Promise<Check> {
  service = await virtualService('09:30');
  const check = await alertingCheck(service, { interval_seconds: 60, failure_threshold: 3, ...more });
  await service.pass(5 * 60_000);
  return check;
}

it('changes a check to down 20 s after the first failed slot, and does not count retries in the sparkline', async () => {
  const check = await steadyCheck({ retry_interval_seconds: 10 });
  service.host('shop.test').does('fails');
  await service.pass(3 * 60_000);
  const failures = (await resultsOf(check)).filter(({ success }) => !success);
  expect(failures.slice(0, 3).map(({ kind }) => kind)).toEqual(['scheduled', 'retry', 'retry']);
  const [first] = failures;
  expect(failures.slice(0, 3).map(({ checked_at }) => seconds(first!.checked_at, checked_at))).toEqual([0, 10, 20]);
  const [down] = await check.read('/transitions');
  expect(seconds(first!.checked_at, down.timestamp)).toBe(20);
  expect(down).toMatchObject({ check_to_state: 'down', outage_started_at: first!.checked_at });
  expect(alertsAt(service)).toHaveLength(1);

  service.host('shop.test').does('answers');
  await service.pass(3 * 60_000);
  const all = await resultsOf(check);
  expect(all.filter(({ kind }) => kind === 'retry')).toHaveLength(2);
  expect(await check.read('/gaps')).toEqual([]);
  expect(await countedResults(check)).toBe(all.filter(({ kind }) => kind === 'scheduled').length);
});

it('ends a short failure at the first retry', async () => {
  const check = await steadyCheck({ retry_interval_seconds: 10 });
  const { calls } = service.host('shop.test');
  service.host('shop.test').does('fails');
  const before = calls.length;
  while (calls.length === before) await service.pass(1000);
  service.host('shop.test').does('answers');
  await service.pass(15_000);
  expect(await check.read()).toMatchObject({ state: 'up', consecutive_failures: 0 });
  expect((await resultsOf(check)).at(-1)).toMatchObject({ kind: 'retry', success: true });
});

it('loses no slot when the service crashes between the result and the message of its retry', async () => {
  const check = await steadyCheck({ retry_interval_seconds: 10 });
  const healthy = (await resultsOf(check)).length;
  service.host('shop.test').does('fails');
  let hasDied = false;
  service.fatal.send = (queue) => {
    if (hasDied || queue !== 'job' || !hasFailedOnce()) return false;
    hasDied = true;
    return true;
  };
  await service.pass(4 * 60_000);
  expect(hasDied).toBe(true);
  const [first, second] = (await resultsOf(check)).slice(healthy);
  expect([first, second].map((one) => one!.kind)).toEqual(['scheduled', 'scheduled']);
  expect(seconds(first!.checked_at, second!.checked_at)).toBe(60);
  expect(await check.read('/gaps')).toEqual([]);
  expect(await check.read()).toMatchObject({ state: 'down' });

  function hasFailedOnce(): boolean {
    return checksIn(service.seen).find(({ id }) => id === check.id)?.consecutive_failures === 1;
  }
});

it('retries a hanging target too, separately from fast ones', async () => {
  const check = await steadyCheck({ retry_interval_seconds: 10, timeout_ms: 5000 });
  service.host('shop.test').does('hangs');
  await service.pass(2 * 60_000);
  const failures = (await resultsOf(check)).filter(({ success }) => !success);
  expect(failures.slice(0, 3).map(({ kind }) => kind)).toEqual(['scheduled', 'retry', 'retry']);
  expect(await check.read()).toMatchObject({ state: 'down' });
});

it('retries after a manual run that leaves a check unconfirmed', async () => {
  const check = await steadyCheck({ interval_seconds: 3600, retry_interval_seconds: 10 });
  service.host('shop.test').does('fails');
  await service.call('POST', `/v1/checks/${check.id}/run`);
  await service.pass(60_000);
  const kinds = (await resultsOf(check)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'manual')).toHaveLength(1);
  expect(kinds.filter((kind) => kind === 'retry').length).toBeGreaterThan(0);
  expect(await check.read()).toMatchObject({ state: 'down' });
});
