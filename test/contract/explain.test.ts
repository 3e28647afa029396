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

/** A push check that is up and goes down at its second failure; with one channel, if told so. */
async function upCheck(policy: object, isTold = true): Promise<string> {
  const { id } = await newCheck(client, { failure_threshold: 2, interval_seconds: 3600 });
  got(await client.post(`/v1/checks/${id}/policy`, policy), 200);
  const channel = { channel_type: 'slack', config: { url: receiver().url } };
  if (isTold) got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
  await push(id, true);
  return id;
}
const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5, error_message: 'card declined' }), 201);
const explain = async (id: string, query = '') => got(await client.get(`/v1/checks/${id}/explain${query}`), 200);
const stops = ({ rules }: { rules: { rule: string; outcome: string }[] }) =>
  rules.filter(({ outcome }) => outcome === 'stop').map(({ rule }) => rule);

describe('GET /v1/checks/{id}/explain', () => {
  it('says that an alert went out, by which rules, and what became of it', async () => {
    const id = await upCheck({ cooldown_seconds: 0 });
    await push(id, false);
    await push(id, false);
    const answer = await eventually(async () => {
      const now = await explain(id);
      return now.deliveries.some(({ status }: { status: string }) => status === 'sent') && now;
    });
    expect(answer).toMatchObject({
      check_id: id,
      state: 'down',
      verdict: 'alerted',
      sentence: expect.stringMatching(/^An alert was sent to 1 channel\. It was down since /),
      transition: { check_to_state: 'down', alert: { decision: 'planned' } },
      results: [{ success: false }, { success: false }, { success: true }],
      gaps: [],
      remedy: '',
    });
    const outcomes: string[] = answer.rules.map(({ outcome }: { outcome: string }) => outcome);
    expect(new Set(outcomes)).toEqual(new Set(['pass']));
    expect(answer.deliveries.map(({ id }: { id: string }) => id)).toEqual(answer.transition.alert.deliveries);
  });

  it.each([
    ['silenced', { silenced: true }, true, /^No alert was sent: its policy was silenced\./],
    ['no_channels', {}, false, /^No alert was sent: it had no channels\./],
  ])('says that nobody was told as its reason is %s', async (reason, policy, isTold, sentence) => {
    const id = await upCheck(policy, isTold);
    await push(id, false);
    await push(id, false);
    const answer = await explain(id);
    expect(answer).toMatchObject({ verdict: 'skipped', sentence: expect.stringMatching(sentence) });
    expect(stops(answer)).toEqual([reason]);
  });

  it('names the end of a cooldown, and when it is looked at again', async () => {
    const id = await upCheck({ cooldown_seconds: 600 });
    for (const success of [false, false, true]) await push(id, success);
    const { transition, ...answer } = await explain(id);
    expect(answer).toMatchObject({ state: 'up', verdict: 'skipped', next: { what: 'late' } });
    expect(stops(answer)).toEqual(['cooldown']);
    expect(answer.remedy).toMatch(/^If the state still differs when the cooldown ends, a late alert reports it/);
    const { last_alert_at, cooldown_until } = transition.alert.facts;
    expect(answer.rules.find(({ rule }: { rule: string }) => rule === 'cooldown')).toMatchObject({
      label: 'Cooldown',
      found: `last alert ${last_alert_at}; cooldown of 10 min until ${cooldown_until}`,
    });
    expect(answer.rules.at(-1)).toMatchObject({ rule: 'no_channels', label: 'Channels', found: '' });
    expect(cooldown_until).toBe(answer.next.at);
    expect(answer.sentence).toContain('its cooldown ran until');
    const alone = got(await client.get(`/v1/transitions/${transition.transition_id}/explain`), 200);
    expect(alone).toMatchObject({ verdict: 'skipped', rules: answer.rules });
  });

  it('of a moment without a change says how far it had counted', async () => {
    const id = await upCheck({});
    await push(id, false);
    // For a second after a change that is what a moment is about.
    const answer = await eventually(async () => {
      const now = await explain(id);
      return now.verdict === 'not_due' && now;
    });
    expect(answer).toMatchObject({
      state: 'up',

      sentence: '1 of 2 failures in a row.',
      rules: [],
    });
  });

  it('of a time before the check says that there was none', async () => {
    const id = await upCheck({});
    expect(await explain(id, '?at=2020-01-01T00:00:00Z')).toMatchObject({
      verdict: 'not_probed',
      state: 'unknown',
      transition: null,
    });
  });

  it('of a check that somebody disabled says so', async () => {
    const id = await upCheck({});
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const [{ timestamp }] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    const answer = await explain(id, `?at=${timestamp}`);
    expect(answer).toMatchObject({ verdict: 'skipped', state: 'unknown' });
    expect(stops(answer)).toEqual(['configuration']);
  });

  it('refuses a moment that lies ahead, or is none', async () => {
    const id = await upCheck({});
    for (const at of ['2999-01-01', 'yesterday'])
      expect(await client.get(`/v1/checks/${id}/explain?at=${at}`)).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'at'),
      );
  });
});

describe('GET /v1/transitions/{id}/explain', () => {
  it('of another account, or of none, is not found', async () => {
    const id = await upCheck({});
    const [transition] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    const stranger = await newTenant();
    for (const [who, of] of [
      [stranger, transition.transition_id],
      [client, 'trn_none'],
    ] as const)
      expect(await who.get(`/v1/transitions/${of}/explain`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('still explains the changes of a check that was deleted', async () => {
    const id = await upCheck({ cooldown_seconds: 0 });
    for (const success of [false, false]) await push(id, success);
    const [transition] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    got(await client.del(`/v1/checks/${id}`), 204);
    const answer = got(await client.get(`/v1/transitions/${transition.transition_id}/explain`), 200);
    expect(answer).toMatchObject({ check_id: id, verdict: 'alerted', results: [], next: null });
  });
});
