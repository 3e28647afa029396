import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';

let client: Client;
const receiver = receiving();
beforeAll(async () => {
  client = await newTenant();
});

/** Creates a push check that is up and goes down at its second failure, with or without a channel. */
async function upCheck(policy: object, hasChannel = true): Promise<string> {
  const { id } = await newCheck(client, { failure_threshold: 2, interval_seconds: 3600 });
  got(await client.post(`/v1/checks/${id}/policy`, policy), 200);
  const channel = { channel_type: 'slack', config: { url: receiver().url } };
  if (hasChannel) got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
  await push(id, true);
  return id;
}
const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5, error_message: 'card declined' }), 201);
const explain = async (id: string, query = '') => got(await client.get(`/v1/checks/${id}/explain${query}`), 200);
const stops = ({ rules }: { rules: { rule: string; outcome: string }[] }) =>
  rules.filter(({ outcome }) => outcome === 'stop').map(({ rule }) => rule);

describe('GET /v1/checks/{id}/explain', () => {
  it('reports that an alert was sent, with its rules and deliveries', async () => {
    const id = await upCheck({ cooldown_seconds: 0 });
    await push(id, false);
    await push(id, false);
    const response = await eventually(async () => {
      const now = await explain(id);
      return now.deliveries.some(({ status }: { status: string }) => status === 'sent') && now;
    });
    expect(response).toMatchObject({
      check_id: id,
      state: 'down',
      verdict: 'alerted',
      sentence: expect.stringMatching(/^An alert was sent to 1 channel\. The check had been down since /),
      transition: { check_to_state: 'down', alert: { decision: 'planned' } },
      results: [{ success: false }, { success: false }, { success: true }],
      gaps: [],
      remedy: '',
    });
    const outcomes: string[] = response.rules.map(({ outcome }: { outcome: string }) => outcome);
    expect(new Set(outcomes)).toEqual(new Set(['pass']));
    expect(response.deliveries.map(({ id }: { id: string }) => id)).toEqual(response.transition.alert.deliveries);
  });

  it.each([
    ['silenced', { silenced: true }, true, /^No alert was sent: its policy was silenced\./],
    ['no_channels', {}, false, /^No alert was sent: it had no channels\./],
  ])('reports that no alert was sent because of %s', async (reason, policy, hasChannel, sentence) => {
    const id = await upCheck(policy, hasChannel);
    await push(id, false);
    await push(id, false);
    const response = await explain(id);
    expect(response).toMatchObject({ verdict: 'skipped', sentence: expect.stringMatching(sentence) });
    expect(stops(response)).toEqual([reason]);
  });

  it('names the end of a cooldown and the time of the recheck', async () => {
    const id = await upCheck({ cooldown_seconds: 600 });
    for (const success of [false, false, true]) await push(id, success);
    const { transition, ...response } = await explain(id);
    expect(response).toMatchObject({ state: 'up', verdict: 'skipped', next: { what: 'late' } });
    expect(stops(response)).toEqual(['cooldown']);
    expect(response.remedy).toMatch(
      /^When the cooldown ends, a late alert reports a state or a failure that no alert has reported/,
    );
    const { last_alert_at, cooldown_until } = transition.alert.facts;
    expect(response.rules.find(({ rule }: { rule: string }) => rule === 'cooldown')).toMatchObject({
      label: 'Cooldown',
      found: `last alert ${last_alert_at}; cooldown of 10 min until ${cooldown_until}`,
    });
    expect(response.rules.at(-1)).toMatchObject({ rule: 'no_channels', label: 'Channels', found: '' });
    expect(cooldown_until).toBe(response.next.at);
    expect(response.sentence).toContain('its cooldown ran until');
    const separate = got(await client.get(`/v1/transitions/${transition.transition_id}/explain`), 200);
    expect(separate).toMatchObject({ verdict: 'skipped', rules: response.rules });
  });

  it('reports the counter when no change happened at that time', async () => {
    const id = await upCheck({});
    await push(id, false);
    // Within a second after a change, the explanation is that of the change.
    const response = await eventually(async () => {
      const now = await explain(id);
      return now.verdict === 'not_due' && now;
    });
    expect(response).toMatchObject({
      state: 'up',
      sentence: '1 of 2 failures in a row.',
      rules: [],
    });
  });

  it('reports that the check did not exist yet', async () => {
    const id = await upCheck({});
    expect(await explain(id, '?at=2020-01-01T00:00:00Z')).toMatchObject({
      verdict: 'not_probed',
      state: 'unknown',
      transition: null,
    });
  });

  it('reports that the check was disabled', async () => {
    const id = await upCheck({});
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const [{ timestamp }] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    const response = await explain(id, `?at=${timestamp}`);
    expect(response).toMatchObject({ verdict: 'skipped', state: 'unknown' });
    expect(stops(response)).toEqual(['configuration']);
  });

  it('rejects a future or invalid time', async () => {
    const id = await upCheck({});
    for (const at of ['2999-01-01', 'yesterday'])
      expect(await client.get(`/v1/checks/${id}/explain?at=${at}`)).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'at'),
      );
  });
});

describe('GET /v1/transitions/{id}/explain', () => {
  it('returns 404 for another account and an unknown transition', async () => {
    const id = await upCheck({});
    const [transition] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    const stranger = await newTenant();
    for (const [caller, of] of [
      [stranger, transition.transition_id],
      [client, 'trn_none'],
    ] as const)
      expect(await caller.get(`/v1/transitions/${of}/explain`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('explains the changes of a deleted check', async () => {
    const id = await upCheck({ cooldown_seconds: 0 });
    for (const success of [false, false]) await push(id, success);
    const [transition] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    got(await client.del(`/v1/checks/${id}`), 204);
    const response = got(await client.get(`/v1/transitions/${transition.transition_id}/explain`), 200);
    expect(response).toMatchObject({ check_id: id, verdict: 'alerted', results: [], next: null });
  });
});
