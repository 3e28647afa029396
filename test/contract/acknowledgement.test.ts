import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { toolResult } from '#test/support/mcp.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let receiver: WebhookReceiver;
let failing: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  receiver = await startReceiver({ host: '127.77.0.1' });
  failing = await startReceiver({ host: '127.77.0.1' });
  failing.behave({ status: 500 });
});
afterAll(() => Promise.all([receiver.close(), failing.close()]));

const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5, error_message: 'disk full' }), 201);
const readCheck = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const textsAt = (path: string) =>
  receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).text);

let pathCount = 0;

/**
 * Creates a push check that is up, with channels that notify separate paths.
 * @param at receiver of the first channel
 */
async function watched(count: number, at: WebhookReceiver = receiver) {
  const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600, name: 'backup' });
  got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
  const channels: { id: string; path: string }[] = [];
  for (let i = 0; i < count; i++) {
    const path = `/place-${++pathCount}`;
    const config = { url: (i === 0 ? at : receiver).url + path };
    const body = { channel_type: 'slack', config };
    channels.push({ id: got(await client.post(`/v1/checks/${id}/policy/channels`, body), 201).id, path });
  }
  await push(id, true);
  return { id: id as string, path: `/v1/checks/${id}/acknowledge`, channels };
}

const setEscalation = async (id: string, steps: [after_seconds: number, channel_id: string][]) =>
  got(
    await client.post(`/v1/checks/${id}/policy`, {
      escalation: steps.map(([after_seconds, channel_id]) => ({ after_seconds, channel_ids: [channel_id] })),
    }),
    200,
  );

describe('POST /v1/checks/{id}/acknowledge', () => {
  it('lasts until recovery and notifies each recipient of the failure once', async () => {
    const { id, path, channels } = await watched(1);
    await push(id, false);
    await eventually(() => textsAt(channels[0]!.path).length === 1);
    const record = got(await client.post(path, { note: 'enlarging the disk' }), 200);
    expect(record).toMatchObject({
      check_id: id,
      transition_id: expect.stringMatching(/^trn_/),
      ...{ by: expect.any(String), via: 'api', channel_id: null, until: null, note: 'enlarging the disk' },
    });
    expect((await readCheck(id)).acknowledgement).toEqual(record);

    await eventually(() => textsAt(channels[0]!.path).length === 2);
    expect(textsAt(channels[0]!.path)[1]).toMatch(/: backup is down, and acknowledged$/);
    const log: { kind: string }[] = got(await client.get(`/v1/notify/logs?check_id=${id}`), 200);
    expect(log.filter(({ kind }) => kind === 'acknowledged')).toEqual([
      expect.objectContaining({ transition_id: record.transition_id, check_id: id }),
    ]);

    await push(id, true);
    expect((await readCheck(id)).acknowledgement).toBeNull();
    await eventually(() => textsAt(channels[0]!.path).length === 3);
    await push(id, false);
    expect((await readCheck(id)).acknowledgement).toBeNull();
  });

  it('keeps the first acknowledgement', async () => {
    const { id, path } = await watched(0);
    await push(id, false);
    const first = got(await client.post(path, { note: 'mine' }), 200);
    const other = await keyOf(client, { scopes: ['respond'] });
    expect(got(await other.post(path, { note: 'no, mine' }), 200)).toEqual(first);
    expect((await readCheck(id)).acknowledgement.note).toBe('mine');
  });

  it('returns 409 with a message when the check is not down', async () => {
    const { id, path } = await watched(0);
    expect(await client.post(path)).toMatchObject({
      ...failure(409, 'CONFLICT'),
      body: {
        error: expect.stringMatching(new RegExp(`^Check ${id} has been up since .*: only a failing check can be`)),
      },
    });
    const { id: fresh } = await newCheck(client);
    expect((await client.post(`/v1/checks/${fresh}/acknowledge`)).body.error).toContain('has no state');
  });

  it.each([
    ['has passed', -1000],
    ['is more than 30 days ahead', 31 * 86_400_000],
  ])('rejects an end that %s', async (_how, ahead) => {
    const { id, path } = await watched(0);
    await push(id, false);
    const until = new Date(Date.now() + ahead).toISOString();
    expect(await client.post(path, { until })).toMatchObject(failure(400, 'VALIDATION_ERROR', 'until'));
    expect((await readCheck(id)).acknowledgement).toBeNull();
  });

  it('ends at the given time', async () => {
    const { id, path } = await watched(0);
    await push(id, false);
    got(await client.post(path, { until: new Date(Date.now() + 1000).toISOString() }), 200);
    await eventually(async () => (await readCheck(id)).acknowledgement === null);
    got(await client.post(path), 200);
  });

  it('is in the audit log, and so is its removal', async () => {
    const { id, path } = await watched(0);
    await push(id, false);
    got(await client.post(path, { note: 'mine' }), 200);
    got(await client.del(path), 204);
    const entries = got(await client.get(`/v1/audit?target=${id}`), 200);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['check.acknowledge', 'check.unacknowledge']),
    );
    got(await client.del(path), 204);
    expect(got(await client.get(`/v1/audit?target=${id}`), 200)).toHaveLength(entries.length);
  });

  it('is available as an MCP tool and records its origin', async () => {
    const { id, path } = await watched(0);
    await push(id, false);
    const record = await toolResult(client, 'acknowledge_alert', { check_id: id, note: 'an agent looks' });
    expect(record).toMatchObject({ check_id: id, via: 'mcp', note: 'an agent looks' });
    expect(got(await client.post(path), 200)).toEqual(record);
  });

  it('is rejected for a read-only key', async () => {
    const { id, path } = await watched(0);
    await push(id, false);
    const reader = await keyOf(client, { is_read_only: true });
    expect(await reader.post(path)).toMatchObject(failure(403, 'READ_ONLY'));
    expect(got(await reader.get(`/v1/checks/${id}`), 200).acknowledgement).toBeNull();
  });
});

describe('the escalation of a policy', () => {
  const step = (after_seconds: number, ...channel_ids: (string | undefined)[]) => ({ after_seconds, channel_ids });

  it('notifies the channels of a step at its time and not before, and notifies them of the recovery', async () => {
    const { id, channels } = await watched(2);
    const [first, second] = channels as [{ path: string }, { id: string; path: string }];
    await setEscalation(id, [[1, second.id]]);
    await push(id, false);
    await eventually(() => textsAt(second.path).length === 1);
    expect(textsAt(first.path)).toEqual([expect.stringMatching(/: backup is down$/)]);
    expect(textsAt(second.path)).toEqual([expect.stringMatching(/: backup is still down after 1 s$/)]);
    await push(id, true);
    await eventually(() => textsAt(first.path).length === 2 && textsAt(second.path).length === 2);
    for (const { path } of channels) expect(textsAt(path)[1]).toMatch(/: backup is up again after/);
    const response = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    const [, down] = response;
    const why = got(await client.get(`/v1/transitions/${down.transition_id}/explain`), 200);
    expect(why.sentence).toContain('Step 1 of its escalation notified 1 channel at ');
  });

  it('stops when the failure is acknowledged and resumes when the acknowledgement is removed', async () => {
    const acknowledged = await watched(2);
    const other = await watched(2);
    for (const { id, channels } of [acknowledged, other]) await setEscalation(id, [[2, channels[1]!.id]]);
    await push(acknowledged.id, false);
    got(await client.post(acknowledged.path), 200);
    await push(other.id, false);
    await eventually(() => textsAt(other.channels[1]!.path).length === 1);
    expect(textsAt(acknowledged.channels[1]!.path)).toEqual([]);
    got(await client.del(acknowledged.path), 204);
    await eventually(() => textsAt(acknowledged.channels[1]!.path).length === 1);
  });

  it('is due immediately when no recipient could be notified before', async () => {
    const { id, channels } = await watched(2, failing);
    await setEscalation(id, [[3600, channels[1]!.id]]);
    await push(id, false);
    await eventually(() => textsAt(channels[1]!.path).length === 1);
    expect(textsAt(channels[1]!.path)[0]).toMatch(/: backup is still down after/);
  });

  it('notifies at its time when every channel of the check is in a step', async () => {
    const { id, channels } = await watched(1);
    await setEscalation(id, [[1, channels[0]!.id]]);
    await push(id, false);
    await eventually(() => textsAt(channels[0]!.path).length === 1);
    expect(textsAt(channels[0]!.path)[0]).toMatch(/ is still down after/);
  });

  it.each<[string, (ids: string[]) => object[], string, RegExp]>([
    [
      'steps out of order',
      ([a, b]) => [step(600, a), step(600, b)],
      'escalation.1.after_seconds',
      /more than the 600 of the step before/,
    ],
    [
      'a deleted channel',
      ([a]) => [step(60, a, 'chn_gone')],
      'escalation.0.channel_ids.1',
      /is not a channel .* GET \/v1\/notify\/channels/,
    ],
    [
      'a channel in two steps',
      ([a]) => [step(60, a), step(120, a)],
      'escalation.1.channel_ids.0',
      /is in step 1 already/,
    ],
    ['a step without channels', () => [step(60)], 'escalation.0.channel_ids', /at least one/],
    ['more than five steps', ([a]) => [1, 2, 3, 4, 5, 6].map((n) => step(n, `${a}${n}`)), 'escalation', /at most 5/],
  ])('rejects %s', async (_what, steps, path, message) => {
    const { id, channels } = await watched(2);
    const escalation = steps(channels.map((one) => one.id));
    const response = await client.post(`/v1/checks/${id}/policy`, { escalation });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(response.body.error).toMatch(message);
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200).escalation).toEqual([]);
  });

  it('can be an account default with account channels only', async () => {
    const { id, channels } = await watched(1);
    const accountChannel = got(
      await client.post('/v1/notify/channels', {
        name: 'On call',
        channel_type: 'slack',
        config: { url: `${receiver.url}/on-call` },
        applies_to: { check_ids: [id] },
      }),
      201,
    );
    const setDefault = (channel: string) =>
      client.put('/v1/notify/policy', { escalation: [{ after_seconds: 60, channel_ids: [channel] }] });
    expect(await setDefault(channels[0]!.id)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'escalation.0.channel_ids.0'),
    );
    expect(got(await setDefault(accountChannel.id), 200).escalation).toEqual([
      { after_seconds: 60, channel_ids: [accountChannel.id] },
    ]);
    expect(got(await client.put('/v1/notify/policy', { escalation: null }), 200).escalation).toEqual([]);
  });
});
