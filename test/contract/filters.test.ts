import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';

const ENTITIES = '/v1/blueprints/service/entities';

let client: Client;
/** Slugs of entities and names of checks, by id. */
const names = new Map<string, string>();
const checks: Record<string, { id: string; entity_id: string }> = {};

beforeAll(async () => {
  client = await newTenant();
  for (const slug of ['service', 'database']) got(await client.post('/v1/blueprints', { slug, name: slug }), 201);
  const entity = async (blueprint: string, slug: string, name: string, labels: object) => {
    const made = got(await client.post(`/v1/blueprints/${blueprint}/entities`, { slug, name, labels }), 201);
    names.set(made.id, slug);
    return made.id as string;
  };
  const shop = await entity('service', 'shop', 'Web Shop', { team: 'payments', tier: '1' });
  const mail = await entity('service', 'mail', 'Mail', { team: 'ops' });
  const orders = await entity('database', 'orders', 'Orders of the shop', {});
  const check = async (name: string, more: object) => {
    const made = await newCheck(client, { name, ...more });
    names.set(made.id, name);
    checks[name] = made;
  };
  const http = { check_type: 'http', interval_seconds: 86_400, enabled: false };
  await check('cart', {
    ...http,
    entity_id: shop,
    target_url: 'http://127.77.0.1:9/basket?key=s3cret',
    slug: 'shop-cart',
  });
  await check('nightly', { entity_id: shop, failure_threshold: 1, labels: { team: 'ops', area: 'a,b' } });
  await check('inbox', { entity_id: mail, failure_threshold: 1 });
  await check('rows', { entity_id: orders, labels: { team: 'payments' } });
  for (const [name, success] of [
    ['nightly', false],
    ['inbox', true],
  ] as const) {
    got(await client.post(`/v1/checks/${checks[name]!.id}/results`, { success, latency_ms: 1 }), 201);
  }
});

const shown = (list: { id: string }[]): string[] => list.map(({ id }) => names.get(id)!).sort();
const checksWith = async (query: string) => shown(got(await client.get(`/v1/checks?${query}`), 200));
const entitiesWith = async (query: string) => shown(got(await client.get(`${ENTITIES}?${query}`), 200));
const statusWith = async (query: string) => {
  const { entities, ...counts } = got(await client.get(`/v1/status?${query}`), 200);
  return { entities: shown(entities), counts };
};

describe('GET /v1/checks', () => {
  it.each<[string, string[]]>([
    ['', ['cart', 'inbox', 'nightly', 'rows']],
    ['state=down', ['nightly']],
    ['state=down,up', ['inbox', 'nightly']],
    ['state=unknown', ['cart', 'rows']],
    ['type=http', ['cart']],
    ['type=http,push', ['cart', 'inbox', 'nightly', 'rows']],
    ['type=tcp', []],
    ['enabled=false', ['cart']],
    ['enabled=true', ['inbox', 'nightly', 'rows']],
    ['entity=service/shop', ['cart', 'nightly']],
    ['entity=database/orders&state=down', []],
    ['label=team:payments', ['cart', 'rows']],
    ['label=team:ops', ['inbox', 'nightly']],
    ['label=team:payments,team:ops', ['cart', 'inbox', 'nightly', 'rows']],
    ['label=team:payments&label=tier:1', ['cart']],
    ['label=team:ops&label=tier:1', ['nightly']],
    ['label=tier:', []],
    ['label=area:a\\,b', ['nightly']],
    ['label=area:a,area:b', []],
    ['label=constructor:x', []],
    ['q=NIGHT', ['nightly']],
    ['q=shop-', ['cart']],
    ['q=basket', ['cart']],
    ['q=key=s3', ['cart']],
    ['q=web', []],
    ['label=team:payments&enabled=true&q=row&type=push&state=unknown', ['rows']],
  ])('?%s returns %j', async (query, expected) => {
    expect(await checksWith(query)).toEqual(expected);
  });

  it('returns the same in pages', async () => {
    for (const query of ['label=team:payments,team:ops', 'state=unknown', 'enabled=true'])
      for (const limit of [1, 2, 3])
        expect(shown(await everything(client, `/v1/checks?${query}&limit=${limit}`))).toEqual(await checksWith(query));
  });

  it('returns the newest results of the matching checks', async () => {
    const found = got(await client.get('/v1/checks?state=down&last_result=true'), 200);
    expect(found).toMatchObject([{ id: checks.nightly!.id, last_result: { success: false } }]);
  });

  it('matches no hidden properties', async () => {
    const reader = await keyOf(client, { is_read_only: true });
    expect(shown(got(await reader.get('/v1/checks?q=s3cret'), 200))).toEqual([]);
    expect(shown(got(await reader.get('/v1/checks?q=basket'), 200))).toEqual(['cart']);
  });

  it('reflects changes', async () => {
    const check = await newCheck(client, {
      name: 'moving',
      labels: { team: 'one' },
      entity_id: checks.inbox!.entity_id,
    });
    names.set(check.id, 'moving');
    expect(await checksWith('label=team:one')).toEqual(['moving']);
    got(await client.put(`/v1/checks/${check.id}`, { labels: { team: null }, enabled: false }), 200);
    expect(await checksWith('label=team:one')).toEqual([]);
    expect(await checksWith('enabled=false')).toEqual(['cart', 'moving']);
    got(await client.del(`/v1/checks/${check.id}`), 204);
    expect(await checksWith('enabled=false')).toEqual(['cart']);
  });
});

describe('entities of a blueprint', () => {
  it.each<[string, string[]]>([
    ['state=down', ['shop']],
    ['state=up,down', ['mail', 'shop']],
    ['label=team:payments', ['shop']],
    ['label=team:ops&label=team:payments', []],
    ['q=SHO', ['shop']],
    ['q=web shop', ['shop']],
    ['state=up&q=ma', ['mail']],
  ])('?%s returns %j', async (query, expected) => {
    expect(await entitiesWith(query)).toEqual(expected);
    expect(shown(await everything(client, `${ENTITIES}?${query}&limit=1`))).toEqual(expected);
  });
});

describe('GET /v1/status', () => {
  it.each<[string, string[]]>([
    ['blueprint=service', ['mail', 'shop']],
    ['blueprint=service,database', ['mail', 'orders', 'shop']],
    ['state=down', ['shop']],
    ['state=unknown,up', ['mail', 'orders']],
    ['label=team:payments', ['shop']],
    ['q=shop', ['orders', 'shop']],
    ['q=shop&blueprint=database', ['orders']],
  ])('?%s returns %j and counts only these', async (query, expected) => {
    const { entities, counts } = await statusWith(query);
    expect(entities).toEqual(expected);
    expect(counts.total).toBe(expected.length);
    expect(counts.up + counts.degraded + counts.down + counts.unknown).toBe(expected.length);
    const paged = got(await client.get(`/v1/status?${query}&limit=1`), 200);
    expect({ ...counts }).toEqual({ ...paged, entities: undefined });
  });

  it('returns 404 for an unknown blueprint', async () => {
    expect(await client.get('/v1/status?blueprint=service,none')).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('an invalid filter', () => {
  const lists = ['/v1/checks', ENTITIES, '/v1/status'];
  it.each(
    lists.flatMap((list) =>
      [
        'state=sick',
        'state=',
        'state=up,',
        'state=UP',
        'label=team',
        'label=',
        'label=Team:x',
        'label=team:a,b',
        'label=:x',
        'q=a',
        'q=',
        `q=${'x'.repeat(101)}`,
        'shade=red',
        'labels=team:x',
        'constructor=x',
      ].map((query) => [list, query] as const),
    ),
  )('is rejected: %s?%s', async (list, query) => {
    const path = query.slice(0, query.indexOf('='));
    expect(await client.get(`${list}?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it.each(['type=icmp', 'type=', 'enabled=yes', 'enabled=', 'blueprint=service'])(
    'is rejected for checks: %s',
    async (query) => {
      const path = query.slice(0, query.indexOf('='));
      expect(await client.get(`/v1/checks?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    },
  );
});
