import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

const DEFAULTS = '/v1/notify/policy';

let client: Client;
let path: string;
beforeAll(async () => {
  client = await newTenant();
  path = `/v1/checks/${(await newCheck(client)).id}/policy`;
});

describe('the default policy of an account', () => {
  it('is that of the service until it is changed', async () => {
    const record = got(await client.get(DEFAULTS), 200);
    expect(record).toMatchObject({ cooldown_seconds: 300, notify_on_recovery: true, late_alerts: true });
    expect(record.inherited).toContain('cooldown_seconds');
  });

  it('applies to checks without their own value, until null resets it', async () => {
    got(await client.put(DEFAULTS, { cooldown_seconds: 60, notify_on_recovery: false }), 200);
    got(await client.post(path, { notify_on_recovery: true }), 200);
    const policy = got(await client.get(path), 200);
    expect(policy).toMatchObject({ cooldown_seconds: 60, notify_on_recovery: true });
    expect(policy.inherited).toContain('cooldown_seconds');
    expect(policy.inherited).not.toContain('notify_on_recovery');

    const own = got(await client.post(path, { cooldown_seconds: 5, notify_on_recovery: null }), 200);
    expect(own).toMatchObject({ cooldown_seconds: 5, notify_on_recovery: false });
    const back = got(await client.put(DEFAULTS, { cooldown_seconds: null, notify_on_recovery: null }), 200);
    expect(back).toMatchObject({ cooldown_seconds: 300, notify_on_recovery: true });
    expect(got(await client.get(path), 200)).toMatchObject({ cooldown_seconds: 5, notify_on_recovery: true });
  });

  it('is still inherited after the policy of a check is sent back with one change', async () => {
    const other = `/v1/checks/${(await newCheck(client)).id}/policy`;
    const read = got(await client.get(other), 200);
    got(await client.post(other, { ...read, repeat_interval_seconds: 600 }), 200);
    got(await client.put(DEFAULTS, { cooldown_seconds: 61 }), 200);
    expect(got(await client.get(other), 200)).toMatchObject({ cooldown_seconds: 61, repeat_interval_seconds: 600 });
  });

  it.each([
    ['cooldown_seconds', -1],
    ['flap_threshold', 2],
    ['silenced', true],
  ])('rejects %s of %j', async (name, value) => {
    expect(await client.put(DEFAULTS, { [name]: value })).toMatchObject(failure(400, 'VALIDATION_ERROR', name));
  });
});
