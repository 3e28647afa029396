import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let receiver: WebhookReceiver;
let check: string;
beforeAll(async () => {
  client = await newTenant();
  receiver = await startReceiver({ host: '127.77.0.1' });
  check = (await newCheck(client)).id;
});
afterAll(() => receiver.close());

const HOOK = { url: 'https://hooks.example.com/fleet', secret: 'letmesign' };

const channels = () => `/v1/checks/${check}/policy/channels`;
const newChannel = async (channel_type = 'webhook', config: object = HOOK): Promise<{ id: string }> =>
  got(await client.post(channels(), { channel_type, config }), 201);
const change = (id: string, body: unknown, as = client) => as.put(`${channels()}/${id}`, body);
const policy = async () => got(await client.get(`/v1/checks/${check}/policy`), 200);
const stored = async (id: string) => (await policy()).channels.find((one: { id: string }) => one.id === id);

describe('an update of a channel', () => {
  it('keeps omitted properties and clears null ones', async () => {
    const channel = await newChannel();
    const url = 'https://hooks.example.com/other';
    expect(got(await change(channel.id, { config: { url } }), 200)).toEqual({ ...channel, config: { ...HOOK, url } });
    expect(got(await change(channel.id, { config: { secret: null } }), 200)).toEqual({ ...channel, config: { url } });
    expect(await stored(channel.id)).toEqual({ ...channel, config: { url } });
    expect(got(await change(channel.id, { config: { secret: 'new' } }), 200).config).toEqual({ url, secret: 'new' });
  });

  it('keeps a secret sent as ********, as a read-only key has read it', async () => {
    const channel = await newChannel();
    const config = { url: '********', secret: 'another' };
    expect(got(await change(channel.id, { config }), 200).config).toEqual({ ...HOOK, secret: 'another' });
    const read = (await (await keyOf(client, { is_read_only: true })).get('/v1/notify/channels')).body;
    const shown = read.find((one: { id: string }) => one.id === channel.id);
    expect(shown.config).toEqual({ url: '********', secret: '********' });
    expect(got(await change(channel.id, shown), 200).config).toEqual({ ...HOOK, secret: 'another' });
  });

  it('keeps position, last delivery and id, and redirects alerts to the new destination', async () => {
    const [first, second] = [
      await newChannel('slack', { url: `${receiver.url}/before` }),
      await newChannel('slack', { url: `${receiver.url}/beside` }),
    ];
    const { preview: _shown, ...delivery } = got(await client.post(`${channels()}/${first.id}/test`), 200);
    const order = (await policy()).channels.map(({ id }: { id: string }) => id);
    const changed = got(await change(first.id, { config: { url: `${receiver.url}/after` } }), 200);
    expect(changed).toMatchObject({ id: first.id, last_delivery: delivery });
    expect((await policy()).channels.map(({ id }: { id: string }) => id)).toEqual(order);
    expect(await stored(second.id)).toEqual(second);
    got(await client.post(`${channels()}/${first.id}/test`), 200);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/before', '/after']);
  });

  it('writes nothing when the record is sent back unchanged', async () => {
    const { id } = await newChannel();
    const before = await policy();
    for (const body of [await stored(id), { config: HOOK }, { config: {} }, {}, undefined]) {
      expect(got(await change(id, body), 200)).toEqual(await stored(id));
    }
    expect(await policy()).toEqual(before);
  });

  it('cannot change id, check or type', async () => {
    const { id } = await newChannel();
    for (const [member, value] of [
      ['id', 'chn_other'],
      ['check_id', 'chk_other'],
      ['channel_type', 'slack'],
    ] as const) {
      expect(await change(id, { [member]: value })).toMatchObject(failure(400, 'VALIDATION_ERROR', member));
    }
    expect((await stored(id)).config).toEqual(HOOK);
  });

  it.each<[what: string, path: string, config: unknown]>([
    ['an address without TLS', 'config.url', { url: 'http://hooks.example.com/' }],
    ['a link-local address', 'config.url', { url: 'https://169.254.169.254/' }],
    ['null for a required setting', 'config.url', { url: null }],
    ['a setting unknown to the type', 'config.sekret', { sekret: 'x' }],
    ['a setting of another channel type', 'config.subject', { subject: 'alerts' }],
    ['a number', 'config.secret', { secret: 7 }],
    ['an empty secret', 'config.secret', { secret: '' }],
    ['******** without a stored value', 'config.token', { token: '********' }],
    ['******** for an inherited property', 'config.constructor', { constructor: '********' }],
    ['a list', 'config', ['x']],
    ['a text', 'config', 'x'],
  ])('is rejected with %s and changes nothing', async (_what, path, config) => {
    const { id } = await newChannel();
    expect(await change(id, { config })).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect((await stored(id)).config).toEqual(HOOK);
    got(await client.del(`${channels()}/${id}`), 204);
  });

  it('requires an existing channel of this check', async () => {
    const { id } = await newChannel();
    const other = (await newCheck(client)).id;
    for (const path of [`${channels()}/chn_none`, `/v1/checks/${other}/policy/channels/${id}`]) {
      expect(await client.put(path, { config: HOOK })).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(await change(id, {}, await newTenant())).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is recorded with masked secrets', async () => {
    const { id } = await newChannel('ntfy', { url: 'https://ntfy.sh/fleet-one', token: 'tk_one' });
    got(await change(id, { config: { token: 'tk_two' } }), 200);
    const [entry] = got(await client.get(`/v1/audit?target=${id}&limit=1`), 200);
    expect(entry).toMatchObject({
      action: 'channel.update',
      target: { id },
      changes: [{ path: 'config.token', from: '********', to: '********' }],
    });
  });

  it('keeps every one of many concurrent changes', async () => {
    const check = (await newCheck(client)).id;
    const path = `/v1/checks/${check}/policy/channels`;
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, i) => client.post(path, { channel_type: 'nats', config: { subject: `a${i}` } })),
    );
    await Promise.all(
      made.map(async (response, i) => {
        got(await client.put(`${path}/${got(response, 201).id}`, { config: { subject: `b${i}` } }), 200);
      }),
    );
    const { channels } = got(await client.get(`/v1/checks/${check}/policy`), 200);
    expect(channels.map(({ config }: { config: object }) => JSON.stringify(config)).toSorted()).toEqual(
      made.map((_, i) => JSON.stringify({ subject: `b${i}` })),
    );
  });
});

it('rejects ******** as the secret of a new channel', async () => {
  const config = { ...HOOK, secret: '********' };
  expect(await client.post(channels(), { channel_type: 'webhook', config })).toMatchObject(
    failure(400, 'VALIDATION_ERROR', 'config.secret'),
  );
});
