import { toAttributes } from '#lib/aws/dynamodb-table.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkHistoryRecords } from '#lib/history/rollups/history-routes.ts';
import { rollUp } from '#lib/history/rollups/roll-up.ts';
import { readSparkline } from '#lib/history/rollups/sparkline.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Item, Table } from '#lib/platform/ports.ts';
import { DAY_MS, HOUR_MS, iso } from '#lib/platform/time.ts';
import { type PackedResult, type PackItem, packOf } from '#lib/results/pack.ts';
import { slotsBetween } from '#lib/schedule/slots.ts';
import { readUnits } from '#test/support/capacity.ts';
import { healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';
import { itemBytes } from '#test/support/item-size.ts';
import { quantile } from './figures.ts';

/**
 * Measures the cost of reading 30 days of a check with an interval of 10 s. Its cell has `CHECKS` checks (first
 * argument; a full cell has 50). Results are written directly into the table and rolled up hour by hour. Prints the
 * median time of some reads, and the DynamoDB read units of one.
 */
const CHECKS = Number(process.argv[2] ?? 50);
const DAYS = 30;
const INTERVAL = 10;
/** Number of different packs. */
const KINDS = 500;

const world = await healthWorld();
const { ports, keys, context } = world;
const begun = ports.clock.now();
const made: CheckItem[] = [];
for (let i = 0; i < CHECKS; i++) made.push(await world.check({ interval_seconds: INTERVAL }));
await world.watermark(2 * DAYS * DAY_MS);
const checks = made.map(
  (check): CheckItem => ({ ...check, state: 'up', state_since: iso(begun), effective_at: begun }),
);
await ports.table.putMany(checks);
const [first] = checks;
const { tenant } = context;
const cell = cellOf(first!.id);

/** Returns a latency around 80 ms, log-normal. */
const latency = () =>
  Math.round(80 * Math.exp(0.2 * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())));
const run = (check: CheckItem): PackedResult => ({
  number: numberOf(check.id),
  begin: 4,
  latency_ms: latency(),
  status_code: 200,
  rev: 1,
  success: true,
});
const kinds = Array.from({ length: KINDS }, () => packOf(checks.map(run)));

const cpu = () => process.cpuUsage().user + process.cpuUsage().system;
let rollingUp = 0;
for (let hour = 0; hour < DAYS * 24; hour++) {
  const from = ports.clock.now();
  const packs = slotsBetween(intervalScheduleOfCheck(first!), from, from + HOUR_MS).map(
    (slot, i): PackItem => ({
      ...keys.pack(tenant, cell, INTERVAL, slot, 1),
      expires_at: Math.ceil((slot + DAYS * DAY_MS) / 1000),
      ...kinds[(hour * 360 + i) % KINDS]!,
    }),
  );
  await ports.table.putMany(packs);
  world.advance(HOUR_MS);
  const before = cpu();
  await rollUp(world, { tenant_id: tenant, cell });
  rollingUp += cpu() - before;
}

let units = 0;
const bytes = (items: (Item | undefined)[]) =>
  items.reduce((sum, item) => sum + (item ? itemBytes(toAttributes(item)) : 0), 0);

/** Wraps a table and counts the cost of its reads. */
function metered(table: Table): Table {
  return {
    ...table,
    get: async <T extends Item>(key: Parameters<Table['get']>[0]) => {
      const item = await table.get<T>(key);
      units += readUnits(bytes([item]), true);
      return item;
    },
    query: async <T extends Item>(query: Parameters<Table['query']>[0]) => {
      const page = await table.query<T>(query);
      units += readUnits(bytes(page.items), !query.eventual);
      return page;
    },
  };
}

const figures: Record<string, number> = { rollup_of_an_hour_cpu_ms: rollingUp / 1000 / (DAYS * 24) };
async function measure(name: string, read: (of: typeof context) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    await read(context);
    times.push(performance.now() - began);
  }
  units = 0;
  await read({ ...context, ports: { ...ports, table: metered(ports.table) } });
  figures[`${name}_ms`] = quantile(times, 0.5);
  figures[`${name}_rru`] = units;
}

const check = await world.fresh(first!);
await measure('history_of_30_days', (of) => checkHistoryRecords(of, [check], { bucket: 'day' }));
await measure('sparkline_of_720_hours', (of) => readSparkline(of, check, { hours: 720, points: 48 }));
await measure('sparkline_of_720_hours_500_points', (of) => readSparkline(of, check, { hours: 720, points: 500 }));
process.stdout.write(JSON.stringify(figures));
