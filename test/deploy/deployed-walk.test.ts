import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { s3Files } from '#lib/aws/s3-files.ts';
import { type Client, clientOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

/** Timeout of a step through queues and functions (ms): the emulator starts a process for each function. */
const PATIENCE_MS = 60_000;

let client: Client;
let hook: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  hook = await startReceiver({ host: '127.77.0.1' });
});
afterAll(() => hook.close());

describe('deployed service', () => {
  it('alerts about a target that fails and recovers: job, prober, stream, notifier, deliverer, action', async () => {
    let status = 200;
    await using shop = await httpTarget((_request, response) => void response.writeHead(status).end());
    const entity = await newEntity(client);
    const { id } = await newCheck(client, {
      entity_id: entity.id,
      check_type: 'http',
      target_url: shop.url,
      interval_seconds: 10,
      failure_threshold: 1,
    });
    got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
    const slack = { channel_type: 'slack', config: { url: `${hook.url}/chat` } };
    got(await client.post(`/v1/checks/${id}/policy/channels`, slack), 201);
    const action = { name: 'Restart', url: `${hook.url}/restart`, trigger_type: 'state_change', check_id: id };
    const { id: actionId } = got(await client.post('/v1/actions', { ...action, trigger_to_state: 'down' }), 201);

    const state = async () => got(await client.get(`/v1/checks/${id}`), 200).state;
    await eventually(async () => (await state()) === 'up', PATIENCE_MS);
    status = 503;
    await eventually(() => receivedAt('/chat').length === 1 && receivedAt('/restart').length === 1, PATIENCE_MS);
    expect(await state()).toBe('down');
    status = 200;
    await eventually(() => receivedAt('/chat').length === 2, PATIENCE_MS);

    const transitions = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    expect(transitions.map((one: { to_state: string }) => one.to_state)).toEqual(['up', 'down', 'up']);
    expect(transitions[1].alert).toMatchObject({ decision: 'planned', deliveries: [expect.any(String)] });
    expect(receivedAt('/chat')[0]!.headers['x-service-delivery']).toBe(transitions[1].alert.deliveries[0]);
    const [run] = await eventually(async () => {
      const runs = got(await client.get(`/v1/actions/${actionId}/executions`), 200);
      return runs[0]?.dispatch_status === 'success' && runs;
    });
    expect(run).toMatchObject({ trigger: 'state_change', transition_id: transitions[1].id, status_code: 200 });
  });

  it('reports a healthy schedule after the first tick', async () => {
    const anonymous = clientOf((await target()).url, '');
    // scheduled-check.test.ts shows that the generator also sends due work.
    await eventually(async () => (await anonymous.get('/v1/health')).body.schedule.ok, 90_000);
  });

  it('runs an action manually and returns the response of its target', async () => {
    const { id } = got(
      await client.post('/v1/actions', { name: 'Deploy', url: `${hook.url}/deploy`, trigger_type: 'manual' }),
      201,
    );
    expect(got(await client.post(`/v1/actions/${id}/run`, { vars: {} }), 200)).toMatchObject({
      dispatch_status: 'success',
      status_code: 200,
    });
    expect(receivedAt('/deploy')).toHaveLength(1);
  });

  it('publishes a status page to its bucket, and serves it by a function if the file is missing', async () => {
    const slug = `walk-${Date.now()}`;
    const body = { slug, title: 'Walk', visibility: 'public', groups: [{ components: [{ name: 'Checkout' }] }] };
    got(await client.post('/v1/status-pages', body), 201);
    const files = s3Files(await publicBucket(), {});
    const file = `status/${slug}.json`;
    const published = await eventually(() => files.get(file), PATIENCE_MS);
    const names = (text: string) => JSON.parse(text).groups[0].components.map(({ name }: { name: string }) => name);
    expect(names(Buffer.from(published.bytes).toString())).toEqual(['Checkout']);
    await files.remove([file]);
    const served = await fetch(`${(await target()).url}/${file}`);
    expect([served.status, served.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining('sandbox'),
    ]);
    expect(names(await served.text())).toEqual(['Checkout']);
  });
});

/** Returns the bucket of published files, from the environment of the publisher. */
async function publicBucket(): Promise<string> {
  for await (const { Functions = [] } of paginateListFunctions({ client: new LambdaClient() }, {})) {
    const [found] = Functions.flatMap(({ Environment }) => Environment?.Variables?.PUBLIC_BUCKET || []);
    if (found) return found;
  }
  throw new Error('No function has PUBLIC_BUCKET.');
}

const receivedAt = (path: string) => hook.received.filter((one) => one.path === path);
