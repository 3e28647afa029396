import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '#test/support/certificates.ts';
import { type Client, failure, keyOf, newTenant, newTenantOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { receiving } from '#test/support/receiving.ts';
import { startService } from '#test/support/service.ts';
import { signatureOf, startReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const newIncident = async (): Promise<string> =>
  got(await client.post('/v1/incidents', { title: 'Slow', impact: 'degraded' }), 201).id;
const publish = (id: string, status: string, more = {}) =>
  client.post(`/v1/incidents/${id}/updates`, { status, message: 'Payments are slow.', notify: false, ...more });

describe('a subscriber of a status page', () => {
  const receiver = receiving();

  /** Creates a page with two components, and a subscriber at a path of the receiver. */
  async function subscribed(path: string, more: (components: string[]) => object = () => ({})) {
    const components = [{ name: 'Checkout' }, { name: 'Search' }];
    const slug = `subscribers${path.replace('/', '-')}`;
    const body = { slug, title: 'Acme status', visibility: 'public', groups: [{ name: 'Shop', components }] };
    const page = got(await client.post('/v1/status-pages', body), 201);
    const ids = page.groups[0].components.map(({ id }: { id: string }) => id) as string[];
    const subscriber = { channel_type: 'slack', config: { url: receiver().url + path }, ...more(ids) };
    const { id } = got(await client.post(`/v1/status-pages/${page.id}/subscribers`, subscriber), 201);
    return { page, ids, id: id as string };
  }
  const receivedAt = (path: string) => receiver().received.filter((request) => request.path === path);

  it('receives an update with `notify` once, and none without', async () => {
    const { page, ids, id } = await subscribed('/all');
    const secret = `canary-${Date.now()}`;
    const made = { title: secret, impact: 'outage', component_ids: [ids[0]], public_title: 'Payments fail' };
    const { id: incident_id } = got(await client.post('/v1/incidents', made), 201);
    got(await publish(incident_id, 'investigating', { message: 'Not announced' }), 201);
    got(await publish(incident_id, 'identified', { notify: true, message: 'Cards are declined.' }), 201);
    await eventually(async () => receivedAt('/all').length > 0, 20_000);
    got(await client.put(`/v1/incidents/${incident_id}`, { impact: 'degraded' }), 200);
    got(await publish(incident_id, 'resolved', { notify: true, message: 'Cards work again.' }), 201);
    await eventually(async () => receivedAt('/all').length > 1, 20_000);
    const bodies = receivedAt('/all').map(({ body }) => body);
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toMatch(/Identified: Payments fail/);
    expect(bodies[0]).toContain('Cards are declined.');
    expect(bodies[0]).toContain(page.url);
    expect(bodies.join()).not.toMatch(new RegExp(`${secret}|acc_|Not announced`));
    const log = got(await client.get('/v1/notify/logs?limit=500'), 200) as { channel_id: string }[];
    const own = log.filter(({ channel_id }) => channel_id === id);
    expect(own).toMatchObject([{ kind: 'status_update', check_id: '', channel_type: 'slack' }, {}]);
  });

  it('receives only updates of its components', async () => {
    const { ids } = await subscribed('/search', ([, search]) => ({ component_ids: [search] }));
    const id = await newIncident();
    got(await publish(id, 'identified', { notify: true, component_ids: [ids[0]], message: 'About checkout' }), 201);
    got(await publish(id, 'identified', { notify: true, component_ids: [ids[1]], message: 'About search' }), 201);
    await eventually(async () => receivedAt('/search').length > 0, 20_000);
    expect(receivedAt('/search').map(({ body }) => /About \w+/.exec(body)?.[0])).toEqual(['About search']);
  });

  it('is listed without secrets for a read-only key, and rejected if invalid', async () => {
    const { page, id } = await subscribed('/listed');
    const path = `/v1/status-pages/${page.id}/subscribers`;
    const reader = await keyOf(client, { is_read_only: true });
    expect(got(await reader.get(path), 200)).toMatchObject([{ id, config: { url: '********' } }]);
    for (const [body, error] of [
      [{ channel_type: 'email', config: { to: 'a@example.com' } }, /channel_type/],
      [{ channel_type: 'webhook', config: { url: 'http://example.com' } }, /config\.url: must start with https/],
      [{ channel_type: 'slack', config: { url: 'https://example.com' }, component_ids: ['cmp_0'] }, /component_ids\.0/],
    ] as const) {
      expect(await client.post(path, body)).toMatchObject({
        ...failure(400, 'VALIDATION_ERROR'),
        body: { error: expect.stringMatching(error) },
      });
    }
    expect(await client.del(`${path}/${id}`)).toMatchObject({ status: 204 });
    expect(await client.del(`${path}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(got(await client.get(path), 200)).toEqual([]);
  });

  it('receives nothing after its deletion', async () => {
    const { page, ids, id } = await subscribed('/deleted');
    const other = { channel_type: 'slack', config: { url: `${receiver().url}/kept` } };
    got(await client.post(`/v1/status-pages/${page.id}/subscribers`, other), 201);
    expect(await client.del(`/v1/status-pages/${page.id}/subscribers/${id}`)).toMatchObject({ status: 204 });
    got(await publish(await newIncident(), 'identified', { notify: true, component_ids: [ids[0]] }), 201);
    await eventually(async () => receivedAt('/kept').length > 0, 20_000);
    expect(receivedAt('/deleted')).toEqual([]);
  });
});

it('rejects a subscriber at a private address if checks may reach only public ones', async () => {
  const service = await startService({ env: { CHECK_EGRESS: 'public' } });
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await service.stop()));
  const admin = await newTenantOf(service);
  const page = got(await admin.post('/v1/status-pages', { slug: 'acme', title: 'Acme' }), 201);
  const path = `/v1/status-pages/${page.id}/subscribers`;
  for (const channel_type of ['webhook', 'slack', 'discord'])
    for (const url of ['https://169.254.169.254/', 'https://192.168.1.1/hook', 'https://[::1]/', 'https://localhost/'])
      expect(await admin.post(path, { channel_type, config: { url } })).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'config.url'),
      );
  expect(got(await admin.get(path), 200)).toEqual([]);
});

const HOSTILE = '<!channel> @everyone </script><b>[free](https://evil.example) & `x`';

it('sends updates and maintenance to a webhook, Slack and Discord, without markup or internal names', {
  timeout: 100_000,
}, async () => {
  const authority = await makeAuthority();
  const trusted = join(tmpdir(), `fleetwatch-authority-of-subscribers-${process.pid}.pem`);
  writeFileSync(trusted, authority.cert);
  const receiver = await startReceiver({ tls: await authority.issue({ names: ['127.0.0.1'] }) });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(trusted));
  stack.defer(receiver.close);
  const { client: admin } = stack.use(await startRealService({ NODE_EXTRA_CA_CERTS: trusted }));
  const entity = await newEntity(admin);
  const check = { entity_id: entity.id, check_type: 'push', name: 'Canary of a check', interval_seconds: 3600 };
  got(await admin.post('/v1/checks', check), 201);
  const page = got(
    await admin.post('/v1/status-pages', {
      ...{ slug: 'acme', title: `Acme ](https://evil.example) ${HOSTILE}`, visibility: 'public' },
      groups: [{ components: [{ name: 'Checkout', entity_id: entity.id }] }],
    }),
    201,
  );
  for (const channel_type of ['webhook', 'slack', 'discord']) {
    const config = { url: `${receiver.url}/${channel_type}`, ...(channel_type === 'webhook' && { secret: 's3cret' }) };
    got(await admin.post(`/v1/status-pages/${page.id}/subscribers`, { channel_type, config }), 201);
  }
  const at = (type: string, n: number) =>
    eventually(() => receiver.received.filter(({ path }) => path === `/${type}`)[n], 30_000);

  const component_ids = [page.groups[0].components[0].id];
  const made = { title: 'Canary of an incident', impact: 'outage', component_ids, public_title: HOSTILE };
  const { id } = got(await admin.post('/v1/incidents', made), 201);
  const update = { status: 'identified', message: `Cards fail. ${HOSTILE}`, notify: true };
  const { id: update_id, at: timestamp } = got(await admin.post(`/v1/incidents/${id}/updates`, update), 201);
  const webhook = await at('webhook', 0);
  expect(JSON.parse(webhook.body)).toEqual({
    ...{ kind: 'status_update', timestamp, page: { title: page.title, url: page.url } },
    ...{ incident: { id, title: HOSTILE }, maintenance: null },
    update: { id: update_id, status: 'identified', message: update.message },
  });
  expect(webhook.headers['x-service-signature']).toBe(await signatureOf(webhook.body, 's3cret'));
  const slack = JSON.parse((await at('slack', 0)).body);
  const texts = [slack.text, ...slack.blocks.map(({ text }: { text: { text: string } }) => text.text)];
  expect(texts[0]).toMatch(/Identified: &lt;!channel&gt; @everyone/);
  // The only markup is the link to the page.
  expect(texts.join('').match(/<[^>]*>/g)).toEqual([expect.stringMatching(/^<http[^|]*\/status\/acme\|Acme/)]);
  const discord = JSON.parse((await at('discord', 0)).body);
  const [{ title, description }] = discord.embeds;
  expect(discord.allowed_mentions).toEqual({ parse: [] });
  expect(title).toMatch(/^Identified: \\<!channel\\> \\@everyone/);
  expect(description.match(/(?<!\\)\]\([^)]*\)/g)).toEqual([`](${page.url})`]);

  const window = { name: 'Canary of a window', note: 'Canary of a note', scope: { entity_ids: [entity.id] } };
  const starts_at = new Date(Date.now() + 86_400_000).toISOString();
  const ends_at = new Date(Date.now() + 90_000_000).toISOString();
  const { id: window_id } = got(await admin.post('/v1/windows', { ...window, starts_at, ends_at }), 201);
  expect(JSON.parse((await at('webhook', 1)).body)).toMatchObject({
    ...{ kind: 'status_update', incident: null },
    maintenance: { id: `${window_id}-${Date.parse(starts_at)}`, starts_at, ends_at, title: 'Checkout' },
    update: { status: 'scheduled' },
  });
  expect(JSON.parse((await at('slack', 1)).body).text).toMatch(/Maintenance scheduled: Checkout/);
  expect(JSON.parse((await at('discord', 1)).body).embeds[0].title).toBe('Maintenance scheduled: Checkout');
  const all = receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)).join();
  expect(all).not.toMatch(new RegExp(`Canary|${entity.name}|acc_|ent_|chk_`));
});
