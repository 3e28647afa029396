import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, hostOf, makeFleet } from './fleet.ts';
import { differenceOf, noUnits, type Units } from './prices.ts';
import { PATHS } from './scenarios.ts';
import { type VirtualAws, virtualAws } from './virtual-aws.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const PROBER = PATHS.job!;

const page = readFileSync('docs/develop/keys.md', 'utf8');

/** Returns the price of an access pattern in the page; for a range, its maximum. */
function stated(pattern: string): { reads: number; writes: number } {
  const row = page.split('\n').find((line) => line.startsWith(`| ${pattern} `));
  if (row === undefined) throw new Error(`docs/develop/keys.md has no row "${pattern}".`);
  const price = row.split('|').at(-2)!;
  const maxOf = (unit: string) => Number(new RegExp(`([\\d.]+) ${unit}`).exec(price)?.[1] ?? 0);
  return { reads: maxOf('RRU'), writes: maxOf('WRU') };
}

/** Asserts that a price is at most the stated one, and at least half of it. */
function expectPrice(pattern: string, { read_units, write_units }: Units): void {
  const { reads, writes } = stated(pattern);
  const isWithin = (units: number, limit: number) => units <= limit && units >= limit / 2;
  const found = `${pattern}: ${read_units} RRU, ${write_units} WRU`;
  expect(`${found}; ${isWithin(read_units, reads) && isWithin(write_units, writes)}`).toBe(`${found}; true`);
}

/** Runs checks with an interval of one minute. @returns functions that price requests to their account */
async function probed(checks: number, minutes: number) {
  const aws: VirtualAws = virtualAws({}, (source, consumer) => PATHS[source] ?? consumer);
  aws.targets.vary();
  const fleet: Fleet = await makeFleet(aws, { checks });
  aws.start();
  await aws.pass(minutes * MINUTE_MS);
  const counted = async (path: string, ms: number): Promise<Units> =>
    (await aws.count(ms)).paths.get(path) ?? noUnits();
  /** Returns the price of a request without the price of the gate: the page has its own row for it. */
  async function priceOf(path: string, change: { method?: 'PUT'; body?: object } = {}): Promise<Units> {
    const answer = aws.call('api', 'call', fleet.key, { method: 'GET', path, ...change });
    const units = await counted('call', 5000);
    await answer;
    return { ...units, read_units: units.read_units - stated('Bearer gate').reads };
  }
  // The first request of an hour records the use of the key.
  await priceOf('/v1/status');
  /** Waits until a slot has just run, so that each following minute contains one whole slot. */
  async function afterSlot(): Promise<void> {
    while ((await counted(PROBER, SECOND_MS)).write_units === 0);
    await aws.pass(20 * SECOND_MS);
  }
  return { aws, fleet, counted, priceOf, afterSlot };
}

describe('prices in docs/develop/keys.md for a cell of 50 checks', () => {
  let world: Awaited<ReturnType<typeof probed>>;
  beforeAll(async () => {
    world = await probed(50, 90);
  }, 300_000);

  it.each([
    ['a page of 50 results', '/results'],
    ['a check with its newest result', ''],
  ])('match %s', async (pattern, path) => {
    expectPrice(pattern, await world.priceOf(`/v1/checks/${world.fleet.checks[3]}${path}`));
  });

  it('limit a page of 50 results to 8 RRU', () => {
    expect(stated('a page of 50 results').reads).toBeLessThanOrEqual(8);
  });

  it('match a list of 50 checks', async () => {
    expectPrice('a list of 50 checks', await world.priceOf('/v1/checks'));
  });

  it('match the rollup of an hour', async () => {
    // The previous hour must be complete.
    const { aws } = world;
    await aws.pass(HOUR_MS - (aws.now() % HOUR_MS) + HOUR_MS);
    expectPrice('an hour of a cell rolled up', await world.counted(PATHS.housekeeping!, HOUR_MS));
  }, 120_000);

  it('match a steady slot, a counted failure, and a state change', async () => {
    const { aws, counted, afterSlot } = world;
    await afterSlot();
    const quiet = await counted(PROBER, MINUTE_MS);
    expectPrice('a steady slot of a cell of 50 checks', quiet);
    aws.targets.does(hostOf(0), 'fails');
    const counting = await counted(PROBER, MINUTE_MS);
    expectPrice('a failure that only counts', differenceOf(counting, quiet));
    await aws.pass(MINUTE_MS);
    const change = await counted(PROBER, MINUTE_MS);
    expectPrice('a change of state', differenceOf(change, quiet));
  });
});

describe('last day of 10 entities with 40 checks, in a full cell', () => {
  it('costs at most 10 RRU if all of it is rolled up', async () => {
    const { aws, fleet, priceOf } = await probed(50, 26 * 60);
    const listed = aws.call<{ entity_id: string }[]>('api', 'call', fleet.key, { method: 'GET', path: '/v1/checks' });
    const entities = [...new Set((await aws.done(listed)).map(({ entity_id }) => entity_id))].slice(0, 10);
    const path = `/v1/history?bucket=hour&entity_ids=${entities}`;
    // A cell rolls up an hour within the following one.
    const to = Math.floor(aws.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
    expectPrice('24 hours of 10 entities, all rolled up', await priceOf(`${path}&to=${new Date(to).toISOString()}`));
    expect(stated('24 hours of 10 entities, all rolled up').reads).toBeLessThanOrEqual(10);
    expectPrice('24 hours of 10 entities with 40 checks', await priceOf(path));
    const checks = fleet.checks.slice(0, 40);
    expectPrice('24 hours of 40 checks of a full cell', await priceOf(`/v1/history?bucket=hour&check_ids=${checks}`));
  }, 300_000);
});

describe('newest results of many checks', () => {
  it('are read by cell: 200 checks need at most 12 RRU in addition to the list', async () => {
    const { priceOf } = await probed(200, 6);
    const list = await priceOf('/v1/checks');
    const newest = differenceOf(await priceOf('/v1/checks?last_result=true'), list);
    expectPrice('the newest result of each of 200 checks', newest);
    expect(stated('the newest result of each of 200 checks').reads).toBeLessThanOrEqual(12);
  }, 300_000);
});

describe('queries for one entity, or since one change', () => {
  it('do not read the rest of the account', async () => {
    const { aws, fleet, priceOf } = await probed(50, 6);
    const path = '/v1/status/transitions';
    const listed = aws.call<{ id: string; entity_id: string }[]>('api', 'call', fleet.key, { method: 'GET', path });
    const [newest] = await aws.done(listed);
    expectPrice('transitions after a given one', await priceOf(`${path}?after=${newest!.id}`));
    expectPrice('the checks of an entity with 4', await priceOf(`/v1/checks?entity_id=${newest!.entity_id}`));
    expectPrice('relations of an entity', await priceOf(`/v1/relations?entity_id=${newest!.entity_id}`));
  }, 300_000);
});

describe('prices of the audit log', () => {
  it('match changes with their audit entry, and a page of 50 entries', async () => {
    const { priceOf, fleet } = await probed(100, 0);
    const entity = '/v1/blueprints/service/entities/service-1';
    expectPrice('a change of an entity', await priceOf(entity, { method: 'PUT', body: { name: 'Web shop' } }));
    // A change without an effect is not written.
    expect((await priceOf(entity, { method: 'PUT', body: { name: 'Web shop' } })).write_units).toBe(0);
    expectPrice(
      'a change of the name of a check',
      await priceOf(`/v1/checks/${fleet.checks[0]}`, { method: 'PUT', body: { name: 'home page' } }),
    );
    expectPrice('a page of 50 audit entries', await priceOf('/v1/audit'));
  }, 120_000);
});
