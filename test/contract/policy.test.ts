import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

let client: Client;
let id: string;
beforeAll(async () => {
  client = await newTenant();
  id = (await newCheck(client)).id;
});

describe('the policy of a check', () => {
  it('has the documented defaults', async () => {
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200)).toMatchObject({
      check_id: id,
      cooldown_seconds: 300,
      notify_on_recovery: true,
      silenced: false,
      repeat_interval_seconds: 0,
      late_alerts: true,
      channels: [],
    });
  });

  it('can be changed one property at a time', async () => {
    got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 10, notify_on_recovery: false }), 200);
    const changed = got(await client.post(`/v1/checks/${id}/policy`, { silenced: true, late_alerts: null }), 200);
    expect(changed).toMatchObject({
      cooldown_seconds: 10,
      notify_on_recovery: false,
      silenced: true,
      repeat_interval_seconds: 0,
      late_alerts: true,
    });
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200)).toEqual(changed);
  });

  it('accepts late_alerts and repeat_interval_seconds, and rejects values of another type', async () => {
    const path = `/v1/checks/${(await newCheck(client)).id}/policy`;
    const wanted = { late_alerts: false, repeat_interval_seconds: 3600 };
    expect(got(await client.post(path, wanted), 200)).toMatchObject(wanted);
    expect(got(await client.post(path, { silenced: true }), 200)).toMatchObject({ ...wanted, silenced: true });
    for (const wrong of [{ late_alerts: 'no' }, { repeat_interval_seconds: 1.5 }, { notify_on_recovery: 1 }]) {
      const [member] = Object.keys(wrong);
      expect(await client.post(path, wrong)).toMatchObject(failure(400, 'VALIDATION_ERROR', member));
    }
    expect(got(await client.get(path), 200)).toMatchObject(wanted);
  });

  it('can be sent back unchanged, but not to another check', async () => {
    const { updated_at, channels, ...read } = got(await client.get(`/v1/checks/${id}/policy`), 200);
    expect(got(await client.post(`/v1/checks/${id}/policy`, { ...read, updated_at, channels }), 200)).toMatchObject(
      read,
    );
    const moved = { ...read, check_id: 'chk_other' };
    expect(await client.post(`/v1/checks/${id}/policy`, moved)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'check_id'),
    );
  });

  it('accepts unchanged channels and names the endpoint that adds others', async () => {
    const path = `/v1/checks/${(await newCheck(client)).id}/policy`;
    const channel = { channel_type: 'slack', config: { url: 'https://hooks.example.com/x' } };
    got(await client.post(`${path}/channels`, channel), 201);
    const read = got(await client.get(path), 200);
    expect(got(await client.post(path, { ...read, silenced: true }), 200)).toMatchObject({ channels: read.channels });
    for (const channels of [[], [{ ...read.channels[0], channel_type: 'discord' }], [...read.channels, channel]]) {
      const response = await client.post(path, { silenced: false, channels });
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'channels'));
      expect(response.body.error).toContain(`POST ${path}/channels adds one`);
    }
    expect(got(await client.get(path), 200).silenced).toBe(true);
  });

  it('rejects values out of bounds and changes nothing', async () => {
    const before = got(await client.get(`/v1/checks/${id}/policy`), 200);
    const { status, body } = await client.post(`/v1/checks/${id}/policy`, {
      silenced: false,
      cooldown_seconds: 604_801,
      repeat_interval_seconds: -1,
    });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.details.map((detail: { path: string }) => detail.path).sort()).toEqual([
      'cooldown_seconds',
      'repeat_interval_seconds',
    ]);
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200)).toEqual(before);
  });

  it('returns 404 to another tenant', async () => {
    const stranger = await newTenant();
    for (const response of [
      await stranger.get(`/v1/checks/${id}/policy`),
      await stranger.post(`/v1/checks/${id}/policy`, { silenced: true }),
      await stranger.post(`/v1/checks/${id}/policy/channels`, { channel_type: 'slack', config: {} }),
    ]) {
      expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('is deleted with its check', async () => {
    const { id: gone } = await newCheck(client);
    got(await client.post(`/v1/checks/${gone}/policy`, { silenced: true }), 200);
    got(await client.del(`/v1/checks/${gone}`), 204);
    expect((await client.get(`/v1/checks/${gone}/policy`)).status).toBe(404);
  });
});
