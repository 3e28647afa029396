import { expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';
import { target } from '#test/support/service.ts';

/** Matches internal ids. The ids of components, incidents, updates and windows are public. */
const IDS = /\b(?:acc|ach|act|alr|chk|chn|dlv|ent|exe|grp|key|nte|pag|res|rot|ses|sil|slo|sub|trn|usr)_[0-9a-z]{10,}/;

/** Public texts that each published file must contain, without their common first word `Visible`. */
const PAGE = ['title', 'description', 'group', 'entity', 'check', 'explanation', 'work', 'incident', 'message'];
const VISIBLE = {
  '': PAGE,
  '.json': PAGE,
  '/history': ['title', 'description', 'incident', 'message'],
  '/feed.atom': ['title', 'work: Visible entity, Visible check', 'incident', 'message'],
  '/maintenance.ics': ['title', 'work: Visible entity\\, Visible check'],
  '/unknown': [],
};

const receiver = receiving();

it('shows visitors all public texts of a page and nothing internal', async () => {
  const client = await newTenant();
  const { url } = await target();
  got(await client.post('/v1/blueprints', { slug: 'canary-blueprint', name: 'CANARY blueprint' }), 201);
  const entity = got(
    await client.post('/v1/blueprints/canary-blueprint/entities', {
      slug: 'canary-entity',
      name: 'CANARY entity',
      labels: { canary: 'CANARY-label' },
    }),
    201,
  );
  const check = got(
    await client.post('/v1/checks', {
      entity_id: entity.id,
      check_type: 'http',
      name: 'CANARY check',
      slug: 'canary-check',
      target_url: 'http://127.77.0.1:9/CANARY-path?token=CANARY-query',
      interval_seconds: 5,
      failure_threshold: 1,
      config: { headers: { 'X-Canary': 'CANARY-header' } },
    }),
    201,
  );
  got(
    await client.post('/v1/windows', {
      name: 'CANARY window',
      note: 'CANARY window note',
      public_title: 'Visible work',
      scope: { entity_ids: [entity.id] },
      starts_at: new Date(Date.now() + 3_600_000).toISOString(),
      ends_at: new Date(Date.now() + 7_200_000).toISOString(),
    }),
    201,
  );
  const slug = `leaks-${Date.now()}`;
  const page = got(
    await client.post('/v1/status-pages', {
      slug,
      title: 'Visible title',
      visibility: 'public',
      automatic_delay_seconds: 0,
      groups: [
        {
          name: 'Visible group',
          components: [
            { name: 'Visible entity', entity_id: entity.id, description: 'Visible explanation' },
            { name: 'Visible check', check_id: check.id, show_latency: true },
          ],
        },
      ],
    }),
    201,
  );
  const subscriber = { channel_type: 'slack', config: { url: `${receiver().url}/leaks` } };
  got(await client.post(`/v1/status-pages/${page.id}/subscribers`, subscriber), 201);
  const read = async (path: string) =>
    (await (await fetch(`${url}/status/${slug}${path}`)).text()).replaceAll('\r\n ', '');
  await eventually(async () => JSON.parse(await read('.json')).incidents.length > 0);
  const [incident] = got(await client.get('/v1/incidents?state=unresolved'), 200);
  got(
    await client.put(`/v1/incidents/${incident.id}`, { title: 'CANARY incident', public_title: 'Visible incident' }),
    200,
  );
  await client.post(`/v1/incidents/${incident.id}/notes`, { text: 'CANARY note' });
  await client.post(`/v1/incidents/${incident.id}/acknowledge`, { note: 'CANARY acknowledgement' });
  const update = { status: 'identified', message: 'Visible message', notify: true };
  got(await client.post(`/v1/incidents/${incident.id}/updates`, update), 201);
  got(await client.put(`/v1/status-pages/${page.id}`, { description: 'Visible description' }), 200);
  await eventually(async () => expect(receiver().received).not.toEqual([]), 20_000);
  const { body: sent } = receiver().received[0]!;
  const found = await eventually(async () => {
    const files = await Promise.all(
      Object.entries(VISIBLE).map(async ([path, visible]) => ({ path, visible, text: await read(path) })),
    );
    for (const { path, visible, text } of files)
      for (const one of visible) expect(text, path).toContain(`Visible ${one}`);
    return files;
  });
  for (const one of ['title', 'incident', 'message']) expect(sent).toContain(`Visible ${one}`);
  for (const { path, text } of [...found, { path: 'subscriber', text: sent }]) {
    expect(text.match(/.{0,40}canary.{0,40}/gi), path).toBeNull();
    expect(IDS.exec(text)?.[0], path).toBeUndefined();
    expect(text, path).not.toMatch(/127\.77|ECONN|refused|@example/);
  }
  expect(JSON.parse(await read('.json'))).toMatchObject({
    state: 'major_outage',
    maintenance: [{ title: 'Visible work', status: 'planned' }],
  });
});

it('escapes hostile texts of the author in HTML, and keeps them in JSON', async () => {
  const client = await newTenant();
  const { url } = await target();
  const slug = `hostile-${Date.now()}`;
  const hostile = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;
  got(
    await client.post('/v1/status-pages', {
      slug,
      title: hostile,
      description: hostile,
      visibility: 'public',
      home_url: 'https://example.com/"onmouseover="alert(1)',
      groups: [{ name: hostile, components: [{ name: hostile, description: hostile }] }],
    }),
    201,
  );
  for (const path of ['', '/history']) {
    const html = await (await fetch(`${url}/status/${slug}${path}`)).text();
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html).not.toMatch(/<img|onmouseover="/);
  }
  const json = await (await fetch(`${url}/status/${slug}.json`)).json();
  expect(json).toMatchObject({ page: { title: hostile }, groups: [{ name: hostile }] });
});
