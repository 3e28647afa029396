import { describe, expect, it } from 'vitest';
import { parseCsv } from '#console/rules/csv.ts';
import { addWindow } from '#lib/alerting/configure/windows.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { requireEntities, requireEntityById } from '#lib/catalog/store.ts';
import { createSlo } from '#lib/history/slos/change-slo.ts';
import { createIncident, NewIncident } from '#lib/incidents/change-incident.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { reportCsv } from '#lib/report/csv.ts';
import { monthStart, type ReportEntity, reportReader } from '#lib/report/report.ts';
import { healthWorld } from '#test/support/health-world.ts';

type World = Awaited<ReturnType<typeof healthWorld>>;

/** Moves the clock to `at`, and pushes a result. */
async function pushAt(world: World, at: string, check: Parameters<World['push']>[0], success = true): Promise<void> {
  world.advance(Date.parse(at) - world.ports.clock.now());
  await world.push(check, success);
}

async function reportOf(
  { context }: World,
  entities: EntityItem[],
  [first, last]: [string, string],
): Promise<ReportEntity[]> {
  const months = { first: monthStart(first), last: monthStart(last) };
  return (await (await reportReader(context, months))!(entities))!;
}

describe('the report of an entity', () => {
  it('divides an outage between two months, also for its SLO, and counts its incident in the first', async () => {
    const world = await healthWorld();
    const { context } = world;
    await world.watermark(1000 * DAY_MS);
    const entity_id = (await world.entity()).id;
    const check = await world.pushCheck({ entity_id, failure_threshold: 1, interval_seconds: 86_400 });
    await createSlo(context, { slug: 'shop', name: 'Shop', check_id: check.id, target: 0.9999 });
    await pushAt(world, '2026-11-30T12:00:00Z', check);
    await pushAt(world, '2026-11-30T23:50:00Z', check, false);
    await createIncident(context, NewIncident.parse({ title: 'Slow', impact: 'degraded', entity_ids: [entity_id] }));
    await pushAt(world, '2026-12-01T00:09:00Z', check);
    world.advance(DAY_MS);
    const entity = await requireEntityById(context, entity_id);
    const [{ months }] = (await reportOf(world, [entity], ['2026-10', '2026-12'])) as [ReportEntity];
    const none = { uptime: null, known_since: null, down_seconds: null, incidents: 0 };
    expect(months).toMatchObject([
      { month: '2026-10', ...none, slos: [{ sli: null, state: 'no_data' }] },
      {
        ...{ month: '2026-11', down_seconds: 600, incidents: 1 },
        slos: [{ budget_seconds: 259.2, consumed_seconds: 600, remaining_seconds: -340.8, state: 'exhausted' }],
      },
      {
        ...{ month: '2026-12', complete: false, down_seconds: 540, incidents: 0 },
        slos: [{ budget_seconds: 267.84, consumed_seconds: 540, remaining_seconds: -272.16, state: 'exhausted' }],
      },
    ]);
    await addWindow(context, {
      ...{ name: 'work', scope: { all: true } },
      ...{ starts_at: Date.parse('2026-11-30T23:45:00Z'), ends_at: Date.parse('2026-12-01T00:00:00Z') },
    });
    const [{ months: after }] = (await reportOf(world, [entity], ['2026-11', '2026-11'])) as [ReportEntity];
    expect(after).toMatchObject([{ down_seconds: 0, maintenance_seconds: 900, down_in_maintenance_seconds: 600 }]);
  });

  it('reads each entity once, and the SLOs and incidents of the account once', async () => {
    const world = await healthWorld();
    const made = await Promise.all(Array.from({ length: 20 }, () => world.entity()));
    const ids = made.map(({ id }) => id);
    const entities = await requireEntities(world.context, ids);
    const before = world.requests.reads;
    await reportOf(world, entities, ['2026-10', '2026-11']);
    expect(world.requests.reads - before).toBeLessThanOrEqual(20 + 2 + world.keys.buckets.length);
  });

  it('is not available for months that have not begun, or whose history is not kept', async () => {
    const { context } = await healthWorld();
    const ranges = [
      ['2026-12', '2026-12'],
      ['2026-10', '2026-12'],
      ['2025-09', '2025-09'],
    ] as const;
    for (const [first, last] of ranges)
      expect(await reportReader(context, { first: monthStart(first), last: monthStart(last) })).toBeUndefined();
  });
});

describe('the report as CSV', () => {
  it('has no formulas, and empty figures without data', () => {
    const none = { complete: true, known_since: null, uptime: null, coverage: null, down_seconds: null };
    const seconds = { degraded_seconds: null, maintenance_seconds: null, down_in_maintenance_seconds: null };
    const csv = reportCsv([
      {
        ...{ entity_id: 'ent_a', entity_name: '=SUM(A1), "shop"', blueprint_slug: 'service', slug: 'shop' },
        months: [{ month: '2026-10', ...none, ...seconds, incidents: 2, slos: [] }],
      },
    ]);
    const [head, october] = parseCsv(csv).map(({ cells }) => cells);
    expect(head!.slice(0, 7)).toEqual('entity blueprint slug month complete known_since uptime'.split(' '));
    expect(october).toEqual([
      `'=SUM(A1), "shop"`,
      'service',
      'shop',
      '2026-10',
      'true',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '2',
      '0',
      '0',
    ]);
  });
});
