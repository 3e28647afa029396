import { beforeEach, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

const PAGES = '/v1/status-pages';

let client: Client;
let url: string;
let entity: string;
let slugs = 0;
beforeEach(async () => {
  client = await newTenant();
  ({ url } = await target());
  entity = (await newEntity(client)).id;
});

const page = (more: object = {}) => ({
  slug: `acme-${Date.now() % 1e6}-${++slugs}`,
  title: 'Acme status',
  visibility: 'public',
  groups: [{ name: 'Shop', components: [{ name: 'Checkout', entity_id: entity }] }],
  ...more,
});
const made = async (more: object = {}) => got(await client.post(PAGES, page(more)), 201);

/** Requests a path without a key. */
async function visit(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url + path, { method, headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const pathOf = ({ url: address }: { url: string }) => new URL(address).pathname;

describe('a status page', () => {
  it('is public within seconds, as HTML and as JSON', async () => {
    const { id, ...record } = await made();
    const path = pathOf(record as never);
    expect(path).toBe(`/status/${record.slug}`);
    const html = await visit(path);
    expect([html.status, html.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html.text).toContain('<h1>Acme status</h1>');
    const json = JSON.parse((await visit(`${path}.json`)).text);
    expect(json).toMatchObject({
      version: 1,
      page: { title: 'Acme status', language: 'en' },
      state: 'unknown',
      groups: [{ name: 'Shop', components: [{ name: 'Checkout', state: 'unknown' }] }],
    });
    await eventually(async () => expect((await client.get(`${PAGES}/${id}`)).body.published_at).not.toBeNull());
  });

  it('is revalidated, compressed, and the same for HEAD, whatever the query', async () => {
    const path = pathOf(await made());
    const first = await visit(path, { 'accept-encoding': 'gzip' });
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'cache-control': 'public, max-age=15, s-maxage=15, stale-while-revalidate=15, stale-if-error=86400',
      'content-security-policy': "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'none'",
      'content-encoding': 'gzip',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(first.headers.get('set-cookie')).toBeNull();
    const published = await eventually(async () => {
      const { headers } = await visit(path);
      const again = await visit(`${path}?x=y`, { 'if-none-match': headers.get('etag')! });
      expect(again).toMatchObject({ status: 304, text: '' });
      return headers;
    });
    const head = await visit(path, {}, 'HEAD');
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', published.get('etag')]);
    expect((await visit(path, {}, 'POST')).status).toBe(405);
  });

  it('shows a failure of an entity within seconds, and its incident after the delay', async () => {
    const check = await newCheck(client, { check_type: 'push', failure_threshold: 1, interval_seconds: 60 });
    const groups = [{ components: [{ name: 'Backup', entity_id: check.entity_id, show_uptime: true }] }];
    const path = pathOf(await made({ groups, automatic_delay_seconds: 0 }));
    const push = (success: boolean) =>
      client.post(`/v1/checks/${check.id}/results`, { success, latency_ms: 5, error_message: 'CANARY-ERROR' });
    const state = async () => JSON.parse((await visit(`${path}.json`)).text);
    await push(true);
    await eventually(async () => expect(await state()).toMatchObject({ state: 'operational', incidents: [] }));
    await push(false);
    const down = await eventually(async () => {
      const json = await state();
      expect(json).toMatchObject({ state: 'major_outage', incidents: [{ title: 'Backup: outage', status: null }] });
      return json;
    });
    expect(down.incidents[0].updates[0].message).toMatch(/^Backup has been down since \d\d:\d\d UTC\.$/);
    expect(down.groups[0].components[0].days.at(-1)).toMatchObject({ kind: 'outage' });
  });

  it('shows an open incident that has an update and is older than 100 others, as a notice if it has no impact', async () => {
    const { id, groups } = await made({ visibility: 'draft' });
    const component_ids = [groups[0].components[0].id];
    const open = async (more: object) =>
      got(await client.post('/v1/incidents', { title: 'CANARY', impact: 'none', ...more }), 201).id as string;
    const old = await open({ component_ids });
    const update = { status: 'investigating', message: 'Receipts arrive late.', notify: false };
    got(await client.post(`/v1/incidents/${old}/updates`, update), 201);
    for (let i = 0; i < 80; i++) got(await client.post(`/v1/incidents/${await open({})}/resolve`), 200);
    const over = { status: 'resolved', message: 'Receipts arrive again.', notify: false };
    for (let i = 0; i < 21; i++)
      got(await client.post(`/v1/incidents/${await open({ component_ids })}/updates`, over), 201);
    const preview = async () => (await client.get(`${PAGES}/${id}/preview`)).body as string;
    expect(await preview()).toContain('Checkout: notice');
    expect(await preview()).toContain('Receipts arrive late.');
    got(await client.post(`/v1/incidents/${old}/resolve`), 200);
    expect(await preview()).not.toContain('Receipts arrive late.');
  });

  it('has another revision after a component was renamed, so that open pages offer to reload', async () => {
    const { id, groups, url: address } = await made();
    const revision = async () => JSON.parse((await visit(`${pathOf({ url: address })}.json`)).text).revision;
    const before = await revision();
    const [component] = groups[0].components;
    got(await client.put(`${PAGES}/${id}`, { groups: [{ components: [{ ...component, name: 'Payments' }] }] }), 200);
    await eventually(async () => expect(await revision()).not.toBe(before));
  });

  it('has a preview with other settings, which are validated like a change and not stored', async () => {
    const record = await made({ visibility: 'draft' });
    const preview = (body: object) => client.post(`${PAGES}/${record.id}/preview`, body);
    const groups = [{ components: [{ ...record.groups[0].components[0], name: 'Payments' }, { name: 'New' }] }];
    const shown = await preview({ title: 'Other <b>', language: 'de', groups });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const text of ['Other &lt;b&gt;', 'lang="de"', 'Payments', 'New']) expect(shown.body).toContain(text);
    expect(got(await client.get(`${PAGES}/${record.id}`), 200)).toEqual(record);
    for (const [body, path] of [
      [{ time_zone: 'Mars/Base' }, 'time_zone'],
      [{ groups: [{ components: [{ id: 'cmp_other', name: 'x' }] }] }, 'groups.0.components.0.id'],
    ] as const)
      expect(await preview(body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    const reader = await keyOf(client, { is_read_only: true });
    expect((await reader.post(`${PAGES}/${record.id}/preview`, {})).status).toBe(403);
  });

  it('has a logo, which must be an image', async () => {
    const record = await made();
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
    const { logo_url } = got(await client.put(`${PAGES}/${record.id}/logo`, { data: png }), 200);
    await eventually(async () => expect((await visit(pathOf(record))).text).toContain(new URL(logo_url).pathname));
    const logo = await visit(new URL(logo_url).pathname);
    expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>').toString('base64');
    for (const data of [svg, '', 'A'.repeat(140_004), 'not base64'])
      expect(await client.put(`${PAGES}/${record.id}/logo`, { data })).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'data'),
      );
    expect((await client.del(`${PAGES}/${record.id}/logo`)).status).toBe(204);
    await eventually(async () => expect((await visit(new URL(logo_url).pathname)).status).toBe(404));
  });

  it('is rejected with the path of the invalid property', async () => {
    const stranger = await newTenant();
    const foreign = (await newEntity(stranger)).id;
    const components = (list: object[]) => ({ groups: [{ components: list }] });
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `c${i}` }));
    const cases: [object, string][] = [
      [{ slug: 'Acme' }, 'slug'],
      [{ slug: 'a--b' }, 'slug'],
      [{ slug: 'ab' }, 'slug'],
      [{ title: '' }, 'title'],
      [{ title: 'a\u202eb' }, 'title'],
      [{ language: 'xx' }, 'language'],
      [{ time_zone: 'Mars/Base' }, 'time_zone'],
      [{ history_days: 31 }, 'history_days'],
      [{ automatic_delay_seconds: 3601 }, 'automatic_delay_seconds'],
      [{ home_url: 'http://example.com' }, 'home_url'],
      [{ support_url: 'javascript:alert(1)' }, 'support_url'],
      [components(many), 'groups'],
      [components([]), 'groups.0.components'],
      [components([{ name: 'x', entity_id: foreign }]), 'groups.0.components.0.entity_id'],
      [components([{ name: 'x', entity_id: 'ent_nothing' }]), 'groups.0.components.0.entity_id'],
      [components([{ name: 'x', check_id: 'T#x' }]), 'groups.0.components.0.check_id'],
      [components([{ name: 'x', entity_id: entity, check_id: 'chk_1' }]), 'groups.0.components.0.check_id'],
      [components([{ name: 'x', entity_id: entity, show_latency: true }]), 'groups.0.components.0.show_latency'],
      [components([{ id: 'cmp_other', name: 'x' }]), 'groups.0.components.0.id'],
    ];
    for (const [more, path] of cases)
      expect(await client.post(PAGES, page(more)), JSON.stringify(more)).toMatchObject(
        failure(400, 'VALIDATION_ERROR', path),
      );
    const { slug } = await made();
    expect(await stranger.post(PAGES, { slug, title: 'Mine' })).toMatchObject(failure(409, 'CONFLICT', 'slug'));
  });

  it('keeps the ids of its components, and names a component whose entity was deleted', async () => {
    const gone = await newEntity(client);
    const record = await made({ groups: [{ components: [{ name: 'Old', entity_id: gone.id }] }] });
    const [{ components }] = record.groups;
    const { blueprint_slug } = got(await client.get(`/v1/entities/${gone.id}`), 200);
    expect((await client.del(`/v1/blueprints/${blueprint_slug}/entities/${gone.slug}`)).status).toBe(204);
    const groups = [{ components: [{ ...components[0], name: 'Older' }] }];
    const changed = got(await client.put(`${PAGES}/${record.id}`, { groups }), 200);
    expect(changed.groups[0].components[0]).toMatchObject({ id: components[0].id, name: 'Older' });
    expect(changed.missing_component_ids).toEqual([components[0].id]);
  });
});

describe('addresses without a page', () => {
  it('have the same status, headers and bytes, whatever the reason', async () => {
    const draft = await made({ visibility: 'draft' });
    const linked = await made({ visibility: 'link' });
    const secret = pathOf(linked);
    expect(secret).toMatch(new RegExp(`^/status/${linked.slug}--[\\w-]{22}$`));
    expect((await visit(secret)).text).toContain('noindex');
    const rotated = got(await client.put(`${PAGES}/${linked.id}`, { rotate_link: true }), 200);
    const deleted = await made();
    await visit(pathOf(deleted));
    expect((await client.del(`${PAGES}/${deleted.id}`)).status).toBe(204);
    const stranger = await newTenant();
    const foreign = got(
      await stranger.post(PAGES, { slug: `${linked.slug}-foreign`, title: 'A', visibility: 'link' }),
      201,
    );
    const [, token] = pathOf(foreign).split('--');
    const hidden = await made();
    got(await client.put(`${PAGES}/${hidden.id}`, { visibility: 'draft' }), 200);
    const paths = [
      '/status/unknown-page',
      `/status/${draft.slug}`,
      `/status/${draft.slug}--${'A'.repeat(22)}`,
      `/status/${linked.slug}`,
      secret,
      `/status/${linked.slug}--${token}`,
      `/status/${foreign.slug}--${secret.split('--')[1]}`,
      pathOf(deleted),
      pathOf(hidden),
      ...['.json', '/history', '/feed.atom', '/maintenance.ics', '/logo-0123456789ab.png'].map(
        (file) => pathOf(hidden) + file,
      ),
      `/status/${linked.slug}/../${linked.slug}`,
      '/status/%00',
      '/status/..%2f..%2fadmin-key',
      `/status/${'a'.repeat(8000)}`,
    ];
    const all = async () => Promise.all(paths.map((path) => visit(path)));
    const isMissing = ({ status, text }: { status: number; text: string }) =>
      status === 404 && text.includes('This page does not exist');
    await eventually(async () => {
      const found = await all();
      return paths.every((_, i) => isMissing(found[i]!));
    });
    const seen = (await all()).map(({ status, headers, text }) => {
      const { 'x-request-id': _id, date: _date, ...same } = Object.fromEntries(headers);
      return { status, headers: same, text };
    });
    for (const [i, one] of seen.entries()) expect(one, paths[i]!.slice(0, 80)).toEqual(seen[0]);
    for (const shown of [rotated, foreign]) expect((await visit(pathOf(shown))).status).toBe(200);
  });
});

describe('the address of an unlisted page', () => {
  it('is masked for a read-only key', async () => {
    const { id, slug } = await made({ visibility: 'link' });
    const reader = await keyOf(client, { is_read_only: true });
    const record = got(await reader.get(`${PAGES}/${id}`), 200);
    expect([record.slug, record.url]).toEqual([slug, '********']);
  });
});

describe('the preview of a status page', () => {
  it('shows a draft to its account', async () => {
    const { id } = await made({ visibility: 'draft', title: 'A draft <b>' });
    const { body } = await client.get(`${PAGES}/${id}/preview`);
    expect(body).toContain('<h1>A draft &lt;b&gt;</h1>');
  });
});
