import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newAction, newCheck } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let ci: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  ci = await startReceiver({ host: '127.77.0.1' });
});
afterAll(() => ci.close());

const push = async (check: string, success: boolean) =>
  got(await client.post(`/v1/checks/${check}/results`, { success, latency_ms: 1 }), 201);
const history = async (id: string) => got(await client.get(`/v1/actions/${id}/executions`), 200);

/** Creates a push check and a remediation for it. */
async function guarded(remediation: object) {
  const { id: check_id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
  const id = await newAction(client, {
    ...{ url: `${ci.url}/restart`, trigger_type: 'state_change', trigger_to_state: 'down' },
    ...{ check_id, remediation },
  });
  await push(check_id, true);
  return { id, check_id };
}

describe('a remediation', () => {
  it('shows all of its settings, including defaults', async () => {
    const { id } = await guarded({ max_attempts: 2, lock: 'deploy' });
    expect(got(await client.get(`/v1/actions/${id}`), 200).remediation).toEqual({
      max_attempts: 2,
      cooldown_seconds: 600,
      lock: 'deploy',
      settle_seconds: 10,
      verify_within_seconds: 600,
      stable_seconds: 600,
      alert_after_remediation: false,
    });
    expect(got(await client.put(`/v1/actions/${id}`, { remediation: null }), 200).remediation).toBeNull();
  });

  it('is verified by the next success, which its execution names', async () => {
    const { id, check_id } = await guarded({ settle_seconds: 0 });
    await push(check_id, false);
    const [run] = await eventually(async () => {
      const all = await history(id);
      return all[0]?.dispatch_status === 'success' && all;
    });
    expect(run).toMatchObject({ attempt: 1, verdict: null, verified_at: null, verified_by: null });
    const healing = await push(check_id, true);
    const healed = await eventually(async () => {
      const one = got(await client.get(`/v1/actions/executions/${run.id}`), 200);
      return one.verdict !== null && one;
    });
    expect(healed).toMatchObject({ verdict: 'recovered', verified_by: healing.id });
  });

  it('sends an alert that names the action when its only attempt did not help', async () => {
    const { id, check_id } = await guarded({ max_attempts: 1, settle_seconds: 600 });
    const receiver = await startReceiver();
    try {
      const channel = { channel_type: 'slack', config: { url: receiver.url } };
      got(await client.post(`/v1/checks/${check_id}/policy/channels`, channel), 201);
      await push(check_id, false);
      const [run] = await eventually(async () => {
        const all = await history(id);
        return all[0]?.dispatch_status === 'success' && all;
      });
      got(await client.post(`/v1/actions/executions/${run.id}/events`, { status: 'failed' }), 200);
      const alert = await eventually(async () =>
        receiver.received.find(({ headers }) => headers['x-service-kind'] === 'remediation_failed'),
      );
      expect(JSON.parse(alert.body).text).toMatch(/is still down: Deploy did not help/);
      expect(got(await client.get(`/v1/actions/executions/${run.id}`), 200)).toMatchObject({
        verdict: 'not_recovered',
      });
    } finally {
      await receiver.close();
    }
  });

  it('keeps a second action of the entity from running at the same time', async () => {
    const { id, check_id } = await guarded({ settle_seconds: 600 });
    const other = await newAction(client, {
      ...{ url: `${ci.url}/restart`, trigger_type: 'state_change', trigger_to_state: 'down' },
      ...{ check_id, remediation: {} },
    });
    await push(check_id, false);
    const runs = await eventually(async () => {
      const all = [...(await history(id)), ...(await history(other))];
      return all.length === 2 && all.every(({ dispatch_status }) => dispatch_status !== 'pending') && all;
    });
    const [skipped, ...more] = runs.filter(
      ({ dispatch_status }: { dispatch_status: string }) => dispatch_status === 'skipped',
    );
    expect(more).toEqual([]);
    expect(skipped).toMatchObject({
      attempt: null,
      verdict: null,
      error_message: expect.stringMatching(/^lock: exe_/),
    });
  });
});

describe('a remediation that is rejected', () => {
  const make = async (more: object) => {
    const { id: check_id } = await newCheck(client);
    return client.post('/v1/actions', { name: 'Restart', url: `${ci.url}/x`, check_id, remediation: {}, ...more });
  };
  it.each([
    ['remediation', { trigger_type: 'manual' }, /requires the trigger_type state_change/],
    ['remediation', { trigger_type: 'schedule', interval_seconds: 60 }, /requires the trigger_type state_change/],
    ['trigger_to_state', { trigger_type: 'state_change' }, /must be down or degraded with remediation/],
    ['trigger_to_state', { trigger_type: 'state_change', trigger_to_state: 'up' }, /must be down or degraded/],
    ['remediation.max_attempts', { remediation: { max_attempts: 11 } }, /10/],
    ['remediation.lock', { remediation: { lock: 'two words' } }, /must be 1 to 64 letters/],
    ['remediation.attempts', { remediation: { attempts: 3 } }, /max_attempts/],
  ])('has an invalid %s: %j', async (path, more, message) => {
    const response = await make({ trigger_type: 'state_change', ...more });
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('VALIDATION_ERROR');
    const detail = response.body.details.find((one: { path: string }) => one.path === path);
    expect(detail?.message).toMatch(message);
  });
});
