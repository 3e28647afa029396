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

/** What the page says of a pattern: the most, where it gives a range. */
function stated(pattern: string): { reads: number; writes: number } {
  const row = page.split('\n').find((line) => line.startsWith(`| ${pattern} `));
  if (row === undefined) throw new Error(`docs/develop/keys.md has no row "${pattern}".`);
  const price = row.split('|').at(-2)!;
  const most = (unit: string) => Number(new RegExp(`([\\d.]+) ${unit}`).exec(price)?.[1] ?? 0);
  return { reads: most('RRU'), writes: most('WRU') };
}

/** That it costs what is said: no more, and not less than half of it. */
function expectPrice(pattern: string, { read_units, write_units }: Units): void {
  const { reads, writes } = stated(pattern);
  const fits = (units: number, most: number) => units <= most && units >= most / 2;
  const found = `${pattern}: ${read_units} RRU, ${write_units} WRU`;
  expect(`${found}; ${fits(read_units, reads) && fits(write_units, writes)}`).toBe(`${found}; true`);
}

/** Checks of one minute, and what requests to their account cost. */
async function probed(checks: number, minutes: number) {
  const aws: VirtualAws = virtualAws({}, (source, consumer) => PATHS[source] ?? consumer);
  aws.targets.vary();
  const fleet: Fleet = await makeFleet(aws, { checks });
  aws.begin();
  await aws.pass(minutes * MINUTE_MS);
  const counted = async (path: string, ms: number): Promise<Units> =>
    (await aws.count(ms)).paths.get(path) ?? noUnits();
  /** A request without what the gate takes, which has a row of its own. */
  async function priceOf(path: string, change: { method?: 'PUT'; body?: object } = {}): Promise<Units> {
    const answer = aws.call('api', 'call', fleet.key, { method: 'GET', path, ...change });
    const units = await counted('call', 5000);
    await answer;
    return { ...units, read_units: units.read_units - stated('Bearer gate').reads };
  }
  // The key notes its use once an hour.
  await priceOf('/v1/status');
  /** Lets time pass until a slot has just run, so that each minute from then on has one whole slot. */
  async function afterSlot(): Promise<void> {
    while ((await counted(PROBER, SECOND_MS)).write_units === 0);
    await aws.pass(20 * SECOND_MS);
  }
  return { aws, fleet, counted, priceOf, afterSlot };
}

describe('the prices in docs/develop/keys.md of a cell of 50 checks', () => {
  let world: Awaited<ReturnType<typeof probed>>;
  beforeAll(async () => {
    world = await probed(50, 90);
  }, 300_000);

  it.each([
    ['a page of 50 results', '/results'],
    ['a check with its newest result', ''],
  ])('%s', async (pattern, path) => {
    expectPrice(pattern, await world.priceOf(`/v1/checks/${world.fleet.checks[3]}${path}`));
  });

  it('a page of 50 results: at most 8 RRU', () => {
    expect(stated('a page of 50 results').reads).toBeLessThanOrEqual(8);
  });

  it('a list of 50 checks', async () => {
    expectPrice('a list of 50 checks', await world.priceOf('/v1/checks'));
  });

  it('an hour that is rolled up', async () => {
    // The hour before it must be a whole one.
    const { aws } = world;
    await aws.pass(HOUR_MS - (aws.now() % HOUR_MS) + HOUR_MS);
    expectPrice('an hour of a cell rolled up', await world.counted(PATHS.rollup!, HOUR_MS));
  }, 120_000);

  it('a steady slot, a failure that only counts, and a change of state', async () => {
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

describe('the last day of 10 entities with 40 checks, in a full cell', () => {
  it('costs at most 10 RRU where all of it is rolled up', async () => {
    const { aws, fleet, priceOf } = await probed(50, 26 * 60);
    const listed = aws.call<{ entity_id: string }[]>('api', 'call', fleet.key, { method: 'GET', path: '/v1/checks' });
    const entities = [...new Set((await aws.done(listed)).map(({ entity_id }) => entity_id))].slice(0, 10);
    const path = `/v1/history?bucket=hour&entity_ids=${entities}`;
    // A cell rolls up an hour within the one after it.
    const to = Math.floor(aws.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
    expectPrice('24 hours of 10 entities, all rolled up', await priceOf(`${path}&to=${new Date(to).toISOString()}`));
    expect(stated('24 hours of 10 entities, all rolled up').reads).toBeLessThanOrEqual(10);
    expectPrice('24 hours of 10 entities with 40 checks', await priceOf(path));
    const checks = fleet.checks.slice(0, 40);
    expectPrice('24 hours of 40 checks of a full cell', await priceOf(`/v1/history?bucket=hour&check_ids=${checks}`));
  }, 300_000);
});

describe('the newest results of many checks', () => {
  it('are read by the cell: those of 200 take no more than 12 RRU beside the list', async () => {
    const { priceOf } = await probed(200, 6);
    const list = await priceOf('/v1/checks');
    const newest = differenceOf(await priceOf('/v1/checks?last_result=true'), list);
    expectPrice('the newest result of each of 200 checks', newest);
    expect(stated('the newest result of each of 200 checks').reads).toBeLessThanOrEqual(12);
  }, 300_000);
});

describe('what is asked of one entity, or since one change', () => {
  it('takes no look at the rest of the account', async () => {
    const { aws, fleet, priceOf } = await probed(50, 6);
    const path = '/v1/status/transitions';
    const listed = aws.call<{ id: string; entity_id: string }[]>('api', 'call', fleet.key, { method: 'GET', path });
    const [newest] = await aws.done(listed);
    expectPrice('transitions after a given one', await priceOf(`${path}?after=${newest!.id}`));
    expectPrice('the checks of an entity with 4', await priceOf(`/v1/checks?entity_id=${newest!.entity_id}`));
    expectPrice('relations of an entity', await priceOf(`/v1/relations?entity_id=${newest!.entity_id}`));
  }, 300_000);
});

describe('the audit log', () => {
  it('makes a change two units dearer, and a page of it is read from all buckets', async () => {
    const { priceOf, fleet } = await probed(100, 0);
    const entity = '/v1/blueprints/service/entities/service-1';
    expectPrice('a change of an entity', await priceOf(entity, { method: 'PUT', body: { name: 'Web shop' } }));
    // What changes nothing is not written.
    expect((await priceOf(entity, { method: 'PUT', body: { name: 'Web shop' } })).write_units).toBe(0);
    expectPrice(
      'a change of the name of a check',
      await priceOf(`/v1/checks/${fleet.checks[0]}`, { method: 'PUT', body: { name: 'home page' } }),
    );
    expectPrice('a page of 50 audit entries', await priceOf('/v1/audit'));
  }, 120_000);
});
