import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const LOG = '/v1/notify/logs';

type Delivery = { id: string; check_id: string; channel_id: string; transition_id: string | null; status: string };

let client: Client;
let receiver: WebhookReceiver;
/** All deliveries, newest first: failure and recovery of two checks with two channels each, and a channel test. */
let all: Delivery[];
beforeAll(async () => {
  client = await newTenant();
  receiver = await startReceiver({ host: '127.77.0.1' });
  const checks = [await checkWithChannels(), await checkWithChannels()];
  for (const success of [true, false, true]) {
    for (const id of checks) got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1 }), 201);
  }
  const { channels } = got(await client.get(`/v1/checks/${checks[0]}/policy`), 200);
  got(await client.post(`/v1/checks/${checks[0]}/policy/channels/${channels[0].id}/test`), 200);
  all = await eventually(async () => {
    const log = await everything(client, LOG);
    return log.length === 9 && log.every(({ status }) => status === 'sent' || status === 'failed') && log;
  });
});
afterAll(() => receiver.close());

/** Creates a check with two channels; only the first has a receiver. */
async function checkWithChannels(): Promise<string> {
  const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
  got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
  for (const url of [`${receiver.url}/in`, 'http://127.77.0.9:9/out']) {
    got(await client.post(`/v1/checks/${id}/policy/channels`, { channel_type: 'slack', config: { url } }), 201);
  }
  return id;
}

describe('GET /v1/notify/logs', () => {
  it.each(['check_id', 'channel_id', 'transition_id'] as const)('filters by %s', async (member) => {
    const values = new Set(all.flatMap((one) => one[member] ?? []));
    expect(values.size).toBeGreaterThan(1);
    for (const value of values) {
      const own = all.filter((one) => one[member] === value).map(({ id }) => id);
      const path = `${LOG}?${member}=${value}`;
      expect(got(await client.get(path), 200).map(({ id }: Delivery) => id)).toEqual(own);
      for (const limit of [1, 2]) {
        expect((await everything(client, `${path}&limit=${limit}`)).map(({ id }) => id)).toEqual(own);
      }
    }
  });

  it('combines filters', async () => {
    const sent = all.filter(({ status }) => status === 'sent').map(({ id }) => id);
    expect(sent).toHaveLength(5);
    const listed = async (query: string) => got(await client.get(`${LOG}?${query}`), 200).map(({ id }: Delivery) => id);
    expect(await listed('status=sent')).toEqual(sent);
    const { check_id, channel_id, transition_id, id } = all.find((one) => one.transition_id && one.status === 'sent')!;
    const query = `check_id=${check_id}&channel_id=${channel_id}&transition_id=${transition_id}`;
    expect(await listed(`${query}&status=sent`)).toEqual([id]);
    expect(await listed(`${query}&status=pending`)).toEqual([]);
    expect(
      await listed(`check_id=${all.find((one) => one.check_id !== check_id)!.check_id}&channel_id=${channel_id}`),
    ).toEqual([]);
  });

  it('is empty for unknown ids and another account', async () => {
    const stranger = await newTenant();
    const { check_id, channel_id, transition_id } = all.find((one) => one.transition_id)!;
    for (const query of [`check_id=${check_id}`, `channel_id=${channel_id}`, `transition_id=${transition_id}`]) {
      expect(got(await stranger.get(`${LOG}?${query}`), 200)).toEqual([]);
    }
    expect(got(await client.get(`${LOG}?check_id=chk_0000000000000000`), 200)).toEqual([]);
  });

  it.each([
    ['status=lost', 'status'],
    ['status=', 'status'],
    ['check_id=', 'check_id'],
    ['check_id=home', 'check_id'],
    ['check_id=trn_1', 'check_id'],
    ['transition_id=chk_1', 'transition_id'],
    ['channel_id=slack', 'channel_id'],
    ['entity_id=ent_1', 'entity_id'],
  ])('rejects %s', async (query, member) => {
    expect(await client.get(`${LOG}?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', member));
  });
});

describe('GET /v1/notify/logs/{id}', () => {
  it('returns a delivery that a transition names', async () => {
    const { check_id, transition_id } = all.find((one) => one.transition_id)!;
    const transitions = got(await client.get(`/v1/checks/${check_id}/transitions`), 200);
    const { alert } = transitions.find(({ id }: { id: string }) => id === transition_id);
    expect(alert.deliveries).toHaveLength(2);
    for (const id of alert.deliveries) {
      expect(got(await client.get(`${LOG}/${id}`), 200)).toEqual(all.find((one) => one.id === id));
    }
  });

  it('returns 404 for another account, an unknown id and a deleted entity', async () => {
    const entity = await newEntity(client);
    const { id: check } = await newCheck(client, { entity_id: entity.id });
    const config = { url: `${receiver.url}/gone` };
    const channel = got(
      await client.post(`/v1/checks/${check}/policy/channels`, { channel_type: 'slack', config }),
      201,
    );
    const { id } = got(await client.post(`/v1/checks/${check}/policy/channels/${channel.id}/test`), 200);
    expect(got(await client.get(`${LOG}/${id}`), 200)).toMatchObject({ kind: 'test', channel_id: channel.id });
    const stranger = await newTenant();
    expect(await stranger.get(`${LOG}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    got(await client.del(`/v1/blueprints/service/entities/${entity.slug}`), 204);
    for (const none of [id, 'dlv_none', check, '%00']) {
      expect(await client.get(`${LOG}/${none}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });
});
