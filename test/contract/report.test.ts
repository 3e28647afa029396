import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';
import { registerCatalogOps, toolResult } from '#test/support/mcp.ts';
import { target } from '#test/support/service.ts';

const REPORT = '/v1/report';

let client: Client;
let shop: { id: string; slug: string; name: string };
let idle: { id: string; slug: string; name: string };
let check: string;
beforeAll(async () => {
  client = await newTenant();
  shop = await newEntity(client);
  idle = await newEntity(client);
  check = (await newCheck(client, { entity_id: shop.id, failure_threshold: 1 })).id;
  got(await client.post(`/v1/checks/${check}/results`, { success: true, latency_ms: 5 }), 201);
  for (const subject of [{ check_id: check }, { entity_id: shop.id }]) {
    const slug = Object.keys(subject)[0]!.replace('_', '-');
    got(await client.post('/v1/slos', { slug, name: slug, target: 0.999, window: '7d', ...subject }), 201);
  }
  got(await client.post('/v1/incidents', { title: 'Slow', impact: 'degraded', entity_ids: [shop.id] }), 201);
});

const entryOf = (report: { entity_id: string }[], { id }: { id: string }) =>
  report.find(({ entity_id }) => entity_id === id) as { entity_id: string; months: Record<string, unknown>[] };

describe('the report of the fleet', () => {
  it('has the figures of the history, the incidents and the SLOs of each month', async () => {
    const report = got(await client.get(`${REPORT}?months=2`), 200);
    const { entities } = got(await client.get(`/v1/history?entity_ids=${shop.id}&bucket=month`), 200);
    const { known_since, uptime } = entities[0].buckets.at(-1);
    const [before, current] = entryOf(report, shop).months;
    expect(current).toMatchObject({ known_since, uptime, complete: false, down_seconds: 0, incidents: 1 });
    const slo = { target: 0.999, sli: 1, consumed_seconds: 0, state: 'healthy' };
    expect(current!.slos).toMatchObject([
      { ...slo, check_id: check },
      { ...slo, check_id: null },
    ]);
    expect(before).toMatchObject({ known_since: null, uptime: null, coverage: null, down_seconds: null, incidents: 0 });
    expect(before!.slos).toMatchObject([{ sli: null, remaining_ratio: null, state: 'no_data' }, { state: 'no_data' }]);
  });

  it('has no uptime for an entity that was not monitored', async () => {
    const [month] = entryOf(got(await client.get(REPORT), 200), idle).months;
    expect(month).toMatchObject({ uptime: null, coverage: null, down_seconds: null, incidents: 0, slos: [] });
  });

  it('is returned page by page', async () => {
    const all = await everything(client, `${REPORT}?limit=1&months=12`);
    expect(all.map(({ entity_id }) => entity_id)).toEqual([shop.id, idle.id].toSorted());
    expect(all[0].months).toHaveLength(12);
    const { headers } = await client.get(`${REPORT}?limit=1`);
    const cursor = /cursor=([^>&]+)/.exec(headers.get('link')!)![1];
    expect(await client.get(`${REPORT}?months=3&cursor=${cursor}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'cursor'),
    );
  });

  it('is returned as CSV, in which missing figures are empty', async () => {
    const { url } = await target();
    const headers = { authorization: `Bearer ${client.key}`, accept: 'text/csv, application/json;q=0.5' };
    const response = await fetch(url + REPORT, { headers });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [head, ...lines] = (await response.text()).trimEnd().split('\n');
    const month = new Date().toISOString().slice(0, 7);
    expect(head).toBe(
      'entity,blueprint,slug,month,complete,known_since,uptime,coverage,down_seconds,degraded_seconds,' +
        'maintenance_seconds,down_in_maintenance_seconds,incidents,slos,slos_exhausted',
    );
    expect(lines).toContainEqual(`${idle.name},service,${idle.slug},${month},false,,,,,,,,0,0,0`);
    expect(lines.find((line) => line.startsWith(`${shop.name},`))).toMatch(/,1,0\.\d+,0,0,0,0,1,2,0$/);
  });

  it.each([
    ['month=2026-13', 'month'],
    ['month=2026-1', 'month'],
    ['month=last', 'month'],
    ['month=2999-01', 'month'],
    ['month=2001-01', 'month'],
    ['months=0', 'months'],
    ['months=13', 'months'],
    ['limit=0', 'limit'],
    ['entity=x', 'entity'],
  ])('rejects %s', async (query, path) => {
    expect(await client.get(`${REPORT}?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('names the allowed months when it rejects one', async () => {
    const { body } = await client.get(`${REPORT}?month=2001-01`);
    expect(body.details[0].message).toMatch(/^must be from 20\d\d-\d\d to 20\d\d-\d\d: history is kept for 400 days/);
  });

  it('contains only entities of the account, and needs the scope read', async () => {
    const other = await newTenant();
    expect(got(await other.get(REPORT), 200)).toEqual([]);
    const metrics = await keyOf(client, { scopes: ['metrics'] });
    expect(await metrics.get(REPORT)).toMatchObject(failure(403, 'FORBIDDEN'));
  });
});

describe('the tool get_report', () => {
  it('returns the same report as the API', async () => {
    await registerCatalogOps(client);
    const { entities } = await toolResult(client, 'get_report', { months: 2 });
    // Coverage and the figures of SLOs change with time.
    const steady = (report: { months: object[] }[]) =>
      report.map(({ months, ...entity }) => ({
        ...entity,
        months: months.map((one) => ({ ...one, coverage: 0, slos: [] })),
      }));
    expect(steady(entities)).toEqual(steady(got(await client.get(`${REPORT}?months=2`), 200)));
  });
});
