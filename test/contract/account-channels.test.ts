import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';

const ALL = '/v1/notify/channels';

let client: Client;
const receiver = receiving();
beforeAll(async () => {
  client = await newTenant();
});

const slack = (path: string) => ({ channel_type: 'slack', config: { url: receiver().url + path } });
const at = (path: string) => receiver().received.filter((one) => one.path === path);
const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5 }), 201);

/** Returns the id of a push check that is up and goes down at its first failure. */
async function upCheck(more: object = {}): Promise<string> {
  const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600, ...more });
  got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
  await push(id, true);
  return id;
}

const newChannel = async (body: object) => got(await client.post(ALL, body), 201);
const lastAlert = async (id: string) => (await client.get(`/v1/checks/${id}/transitions`)).body.at(0).alert;

describe('an account channel', () => {
  it('is created, read, listed before check channels, changed and deleted', async () => {
    const tenant = await newTenant();
    const config = { url: 'https://hooks.example.com/a', secret: 'letmesign' };
    const made = got(await tenant.post(ALL, { name: 'On call', channel_type: 'webhook', config }), 201);
    expect(made).toEqual({
      id: expect.stringMatching(/^ach_/),
      scope: 'account',
      name: 'On call',
      slug: null,
      channel_type: 'webhook',
      config,
      addresses: null,
      group_seconds: 0,
      applies_to: null,
      enabled: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      last_delivery: null,
      notice: null,
    });
    const { notice: _said, ...record } = made;
    const path = `${ALL}/${made.id}`;
    expect(got(await tenant.get(path), 200)).toEqual(record);

    const check = (await newCheck(tenant)).id;
    const own = got(await tenant.post(`/v1/checks/${check}/policy/channels`, { channel_type: 'webhook', config }), 201);
    expect(got(await tenant.get(ALL), 200)).toEqual([record, own]);
    expect(await everything(tenant, `${ALL}?limit=1`)).toEqual([record, own]);
    const policy = got(await tenant.get(`/v1/checks/${check}/policy`), 200);
    expect(policy.channels).toEqual([own]);
    expect(policy.account_channels).toEqual([
      { id: made.id, name: 'On call', channel_type: 'webhook', why: 'every check' },
    ]);

    const wanted = { name: 'Nights', slug: 'nights', enabled: false, config: { secret: '********' } };
    expect(got(await tenant.put(path, wanted), 200)).toMatchObject({ name: 'Nights', slug: 'nights', config });
    expect(got(await tenant.get(`/v1/checks/${check}/policy`), 200).account_channels).toEqual([]);
    expect(got(await tenant.put(path, { slug: null }), 200)).toMatchObject({ name: 'Nights', slug: null });
    const back = got(await tenant.get(path), 200);
    expect(got(await tenant.put(path, back), 200)).toMatchObject(back);
    got(await tenant.del(path), 204);
    expect((await tenant.get(path)).status).toBe(404);
    expect(got(await tenant.get(ALL), 200)).toEqual([own]);
  });

  it('receives the alerts of the selected checks, in addition to their own channels', async () => {
    const entity = await newEntity(client);
    got(await client.put(`/v1/blueprints/service/entities/${entity.slug}`, { labels: { team: 'pay' } }), 200);
    const id = await upCheck({ entity_id: entity.id });
    const other = await upCheck();
    got(await client.post(`/v1/checks/${id}/policy/channels`, slack('/own')), 201);
    const applies_to = { labels: { team: ['pay', 'shop'] }, states: ['down'] };
    const channel = await newChannel({ name: 'Pay', ...slack('/pay'), applies_to });
    expect(channel.notice).toBeNull();
    const { account_channels } = got(await client.get(`/v1/checks/${id}/policy`), 200);
    expect(account_channels).toMatchObject([{ id: channel.id, why: 'label team=pay, only down' }]);

    await push(other, false);
    await push(id, false);
    await eventually(() => at('/own').length === 1 && at('/pay').length === 1);
    expect((await lastAlert(other)).reason).toBe('no_channels');
    expect((await lastAlert(id)).deliveries).toHaveLength(2);
    await push(id, true);
    await eventually(() => at('/own').length === 2);
    expect((await lastAlert(id)).deliveries).toHaveLength(1);
    const shown = await eventually(async () => {
      const { last_delivery } = got(await client.get(`${ALL}/${channel.id}`), 200);
      return last_delivery?.status === 'sent' && last_delivery;
    });
    expect(shown).toMatchObject({ channel_id: channel.id, check_id: id, kind: 'state_change' });
    got(await client.del(`${ALL}/${channel.id}`), 204);
  });

  it('notifies a destination once if the check has a channel to it too', async () => {
    const id = await upCheck();
    got(await client.post(`/v1/checks/${id}/policy/channels`, slack('/same')), 201);
    const channel = await newChannel({ name: 'Same', ...slack('/same'), applies_to: { check_ids: [id] } });
    await push(id, false);
    await eventually(() => at('/same').length === 1);
    const { deliveries } = await lastAlert(id);
    expect(deliveries).toHaveLength(1);
    expect(got(await client.get(`/v1/notify/logs/${deliveries[0]}`), 200).channel_id).toMatch(/^chn_/);
    got(await client.del(`${ALL}/${channel.id}`), 204);
  });

  it('can be tested', async () => {
    const channel = await newChannel({ name: 'Tried', ...slack('/tried'), enabled: false });
    const { preview, ...delivery } = got(await client.post(`${ALL}/${channel.id}/test`), 200);
    expect(preview.title).toContain('is down');
    expect(delivery).toMatchObject({ kind: 'test', status: 'sent', channel_id: channel.id, check_id: '' });
    expect(at('/tried')).toHaveLength(1);
    expect(got(await client.get(`${ALL}/${channel.id}`), 200).last_delivery).toMatchObject({ id: delivery.id });
    got(await client.del(`${ALL}/${channel.id}`), 204);
  });

  it('has its tests in the delivery log', async () => {
    const config = { url: 'http://127.77.0.9:9/closed' };
    const { id } = await newChannel({ name: 'Unreachable', channel_type: 'slack', config });
    const { preview: _preview, ...delivery } = got(await client.post(`${ALL}/${id}/test`), 200);
    expect(delivery).toMatchObject({ kind: 'test', status: 'failed', check_id: '', entity_id: '' });
    expect(got(await client.get(`/v1/notify/logs?channel_id=${id}`), 200)).toEqual([delivery]);
    expect(got(await client.get(`/v1/notify/logs/${delivery.id}`), 200)).toEqual(delivery);
    got(await client.del(`${ALL}/${id}`), 204);
  });

  it('is created with a notice when no check matches yet', async () => {
    for (const applies_to of [{ labels: { team: 'nowhere' } }, { check_ids: ['chk_gone'] }, { blueprints: ['none'] }]) {
      const channel = await newChannel({ name: 'Later', ...slack('/later'), applies_to });
      expect(channel.notice).toMatch(/^No check matches/);
      got(await client.del(`${ALL}/${channel.id}`), 204);
    }
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['an empty selection', { applies_to: {} }, 'applies_to'],
    ['an empty list', { applies_to: { check_ids: [] } }, 'applies_to.check_ids'],
    ['a state without alerts', { applies_to: { states: ['unknown'] } }, 'applies_to.states.0'],
    ['an unknown selector', { applies_to: { blueprints: ['service'], teams: ['pay'] } }, 'applies_to.teams'],
    ['an invalid label', { applies_to: { labels: { Team: 'pay' } } }, 'applies_to.labels.Team'],
    ['an id of another kind', { applies_to: { entity_ids: ['chk_1'] } }, 'applies_to.entity_ids.0'],
    ['a masked secret without a stored one', { config: { url: '********' } }, 'config.url'],
  ])('rejects %s', async (_what, wrong, path) => {
    const body = { name: 'Wrong', ...slack('/wrong'), ...wrong };
    expect(await client.post(ALL, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('has a unique slug', async () => {
    const first = await newChannel({ name: 'First', slug: 'pager', ...slack('/x') });
    expect(await client.post(ALL, { name: 'Second', slug: 'pager', ...slack('/x') })).toMatchObject(
      failure(409, 'CONFLICT'),
    );
    got(await client.del(`${ALL}/${first.id}`), 204);
  });

  it('hides secrets from read-only keys, which cannot change it', async () => {
    const channel = await newChannel({ name: 'Secret', ...slack('/hidden') });
    const readOnly = await keyOf(client, { is_read_only: true });
    for (const path of [ALL, `${ALL}/${channel.id}`]) {
      expect(JSON.stringify(got(await readOnly.get(path), 200))).not.toContain('/hidden');
    }
    const respond = await keyOf(client, { scopes: ['respond'] });
    expect((await respond.put(`${ALL}/${channel.id}`, { name: 'x' })).status).toBe(403);
    expect((await respond.post(`${ALL}/${channel.id}/test`)).status).toBe(200);
    const { body: log } = await client.get('/v1/audit?action=channel.');
    expect(JSON.stringify(log)).not.toContain('/hidden');
    got(await client.del(`${ALL}/${channel.id}`), 204);
  });

  it('is visible only in its account', async () => {
    const channel = await newChannel({ name: 'Mine', ...slack('/mine') });
    const other = await newTenant();
    expect((await other.get(`${ALL}/${channel.id}`)).status).toBe(404);
    expect((await other.del(`${ALL}/${channel.id}`)).status).toBe(404);
    expect(got(await other.get(ALL), 200)).toEqual([]);
    got(await client.del(`${ALL}/${channel.id}`), 204);
  });
});
