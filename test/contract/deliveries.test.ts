import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';

let client: Client;
const receiver = receiving();
beforeAll(async () => {
  client = await newTenant();
});

/** Creates a push check that goes down at its first failure and has one channel at the given path. */
async function alerted(path: string, policy: object = { cooldown_seconds: 0 }) {
  const check = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600, name: 'checkout' });
  got(await client.post(`/v1/checks/${check.id}/policy`, policy), 200);
  const config = { url: receiver().url + path };
  const channel = got(
    await client.post(`/v1/checks/${check.id}/policy/channels`, { channel_type: 'slack', config }),
    201,
  );
  return { id: check.id as string, entity_id: check.entity_id as string, channel_id: channel.id as string };
}

const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5, error_message: 'card declined' }), 201);
const at = (path: string) => receiver().received.filter((one) => one.path === path);
const logOf = async (id: string) =>
  (await everything(client, '/v1/notify/logs')).filter((one: { check_id: string }) => one.check_id === id);

describe('an alert', () => {
  it('is sent when a check goes down and recovers, and every delivery is logged', async () => {
    const { id, entity_id, channel_id } = await alerted('/story');
    await push(id, true);
    await push(id, false);
    await eventually(() => at('/story').length === 1);
    await push(id, true);
    await eventually(() => at('/story').length === 2);

    const [down, up] = at('/story');
    expect(JSON.parse(down!.body).text).toMatch(/: checkout is down$/);
    expect(down!.body).toContain('card declined');
    expect(JSON.parse(up!.body).text).toMatch(/: checkout is up again after \d+ s$/);
    expect(up!.body).toContain('Was down for');

    const log = await eventually(async () => {
      const found = await logOf(id);
      return found.every((one) => one.status === 'sent') && found;
    });
    expect(log).toHaveLength(2);
    expect(log.map((one) => one.id)).toEqual([up!, down!].map((one) => one.headers['x-service-delivery']));
    expect(log[1]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      kind: 'state_change',
      transition_id: expect.stringMatching(/^trn_/),
      from_state: 'up',
      to_state: 'down',
      check_id: id,
      entity_id,
      channel_id,
      channel_type: 'slack',
      step: null,
      group_id: null,
      combined_in: null,
      status: 'sent',
      attempts: 1,
      sent_at: expect.any(String),
      error: '',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { channels } = got(await client.get(`/v1/checks/${id}/policy`), 200);
    expect(channels[0].last_delivery).toEqual(log[0]);
  });

  it('ends as failed after three attempts', async () => {
    const { id } = await alerted('/broken');
    receiver().behave({ status: 500, body: 'out of order' });
    try {
      await push(id, false);
      const [delivery] = await eventually(async () => {
        const found = await logOf(id);
        return found[0]?.status === 'failed' && found;
      });
      expect(delivery).toMatchObject({ attempts: 3, sent_at: null });
      expect(delivery.error).toContain('answered 500');
      expect(new Set(at('/broken').map((one) => one.headers['x-service-delivery']))).toEqual(new Set([delivery.id]));
      expect(at('/broken')).toHaveLength(3);
    } finally {
      receiver().behave({ status: 200 });
    }
  });

  it('is followed by one closing alert, also in the log, if its check is disabled or deleted while down', async () => {
    const [off, gone] = [await alerted('/off'), await alerted('/gone-while-down')];
    for (const { id } of [off, gone]) await push(id, false);
    await eventually(() => at('/off').length === 1 && at('/gone-while-down').length === 1);
    got(await client.put(`/v1/checks/${off.id}`, { enabled: false }), 200);
    got(await client.del(`/v1/checks/${gone.id}`), 204);
    const closings = await eventually(() => {
      const found = [at('/off')[1], at('/gone-while-down')[1]];
      return found.every((one) => one !== undefined) && found;
    });
    expect(closings.map((one) => one!.headers['x-service-kind'])).toEqual(['closed', 'closed']);
    expect(JSON.parse(closings[0]!.body).text).toContain('checkout was disabled while down');
    expect(JSON.parse(closings[1]!.body).text).toContain('checkout was deleted while down');

    const log = await eventually(async () => {
      const found = await logOf(off.id);
      return found.every((one) => one.status === 'sent') && found;
    });
    expect(log.map((one) => one.kind)).toEqual(['closed', 'state_change']);
    got(await client.put(`/v1/checks/${off.id}`, { enabled: true }), 200);
    got(await client.put(`/v1/checks/${off.id}`, { enabled: false }), 200);
    expect((await logOf(off.id)).length).toBe(2);
  });

  it('is repeated while the check stays down', async () => {
    const { id } = await alerted('/again', { cooldown_seconds: 0, repeat_interval_seconds: 1 });
    await push(id, false);
    await eventually(() => at('/again').length >= 3);
    await push(id, true);
    await eventually(() => at('/again').at(-1)!.headers['x-service-kind'] === 'state_change');
    const kinds = at('/again').map((one) => one.headers['x-service-kind']);
    expect(kinds).toEqual(['state_change', ...kinds.slice(1, -1).map(() => 'reminder'), 'state_change']);
    expect(JSON.parse(at('/again')[1]!.body).text).toMatch(/checkout is still down after \d+ s/);
  });

  it('is sent late, at the end of the cooldown that suppressed it', async () => {
    const { id } = await alerted('/late', { cooldown_seconds: 3 });
    await push(id, false);
    await push(id, true);
    const [, late] = await eventually(() => at('/late').length === 2 && at('/late'));
    expect(late!.headers['x-service-kind']).toBe('late');
    expect(JSON.parse(late!.body).text).toContain('checkout is up again');
    const [transition] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    expect(transition.alert).toMatchObject({ decision: 'skipped', reason: 'cooldown', deliveries: [] });
    expect((await logOf(id)).map((one) => one.kind)).toEqual(['late', 'state_change']);
  });

  it('is not sent while the policy is silenced', async () => {
    const silenced = await alerted('/silent', { silenced: true });
    const loud = await alerted('/loud');
    await push(silenced.id, false);
    await push(loud.id, false);
    await eventually(() => at('/loud').length === 1);
    expect(at('/silent')).toEqual([]);
    expect(await logOf(silenced.id)).toEqual([]);
  });
});

describe('the delivery log', () => {
  it('shows only deliveries of the account', async () => {
    const stranger = await newTenant();
    expect(got(await stranger.get('/v1/notify/logs'), 200)).toEqual([]);
  });

  it('is listed in pages, newest first', async () => {
    const all = await everything(client, '/v1/notify/logs');
    expect(all.length).toBeGreaterThan(2);
    expect(await everything(client, '/v1/notify/logs?limit=1')).toEqual(all);
    const times = all.map((one) => one.created_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('omits deliveries of a deleted entity', async () => {
    const entity = await newEntity(client);
    const check = await newCheck(client, { entity_id: entity.id });
    const body = { channel_type: 'slack', config: { url: `${receiver().url}/gone` } };
    const channel = got(await client.post(`/v1/checks/${check.id}/policy/channels`, body), 201);
    const test = got(await client.post(`/v1/checks/${check.id}/policy/channels/${channel.id}/test`), 200);
    expect((await logOf(check.id)).map((one) => one.id)).toEqual([test.id]);
    got(await client.del(`/v1/blueprints/service/entities/${entity.slug}`), 204);
    expect(await logOf(check.id)).toEqual([]);
  });
});
