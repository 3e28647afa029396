import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { findProgram } from '#test/support/find-program.ts';
import { type NatsServer, startNatsServer } from '#test/support/nats-server.ts';
import { type Service, startService, tenantOf } from '#test/support/service.ts';

const binary = findProgram('nats-server');
if (!binary && process.env.CI) throw new Error('nats-server is missing; run .ci/peers to install it.');

// Where nats-server is not installed, only the tests with a fake server run (test/unit/channels/nats.test.ts).
describe.skipIf(!binary)('a nats channel and a real nats-server', () => {
  let nats: NatsServer;
  let service: Service;
  beforeAll(async () => {
    nats = await startNatsServer(binary!);
    service = await startService({ env: { NATS_URL: nats.url } });
  });
  afterAll(async () => {
    await service?.stop();
    nats?.stop();
  });

  const api = () => clientOf(service.url, service.adminKey);

  type Received = { subject: string; body: Record<string, unknown>; delivery: string | undefined };

  /** Collects all messages that are published on a subject, which can contain wildcards. */
  async function listen(subject: string) {
    const subscriber = await connect({ servers: nats.url });
    const received: Received[] = [];
    subscriber.subscribe(subject, {
      callback: (_error, message) => {
        const delivery = message.headers?.get('X-Service-Delivery');
        received.push({ subject: message.subject, body: message.json(), delivery });
      },
    });
    await subscriber.flush();
    return { received, close: () => subscriber.close() };
  }

  /** Creates a check of a new entity with a channel on a subject, and lets it go down. */
  async function downOn(client: Client, subject: string) {
    await client.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    const entity = (await client.post('/v1/blueprints/service/entities', { slug: 'db', name: 'Database' })).body;
    const settings = { check_type: 'push', interval_seconds: 60, failure_threshold: 1 };
    const check = (await client.post('/v1/checks', { entity_id: entity.id, ...settings })).body;
    await client.post(`/v1/checks/${check.id}/policy/channels`, { channel_type: 'nats', config: { subject } });
    await client.post(`/v1/checks/${check.id}/results`, { success: false, latency_ms: 3, error_message: 'no disk' });
    return { entity, check };
  }

  it('delivers the event as JSON on a subject below the account, also to subscribers of a wildcard', async () => {
    const { received, close } = await listen('fleetwatch.*.alerts.>');
    const { entity, check } = await downOn(api(), 'alerts.database');

    await eventually(() => received.length === 1);
    const [transition] = (await api().get(`/v1/checks/${check.id}/transitions`)).body;
    expect(received[0]).toMatchObject({
      subject: `fleetwatch.${transition.tenant_id}.alerts.database`,
      delivery: transition.alert.deliveries[0],
      body: {
        entity_id: entity.id,
        entity_name: 'Database',
        check_id: check.id,
        tenant_id: transition.tenant_id,
        from_state: 'unknown',
        to_state: 'down',
        check_from_state: 'unknown',
        check_to_state: 'down',
        transition_id: transition.id,
        timestamp: transition.timestamp,
        kind: 'state_change',
        check: { id: check.id, type: 'push' },
        entity: { id: entity.id, slug: 'db' },
        error_message: 'no disk',
      },
    });
    const [delivery] = await eventually(async () => {
      const logs = (await api().get('/v1/notify/logs')).body;
      return logs[0].status === 'sent' && logs;
    });
    expect(delivery).toMatchObject({ attempts: 1, channel_type: 'nats' });
    await close();
  });

  it('does not let a tenant publish on the subject of another tenant or of the operator', async () => {
    const { received, close } = await listen('>');
    const victim = await tenantOf(service);
    const thief = await tenantOf(service);
    const client = clientOf(service.url, thief.key);
    const wanted = `fleetwatch.${victim.id}.alerts`;
    await downOn(client, wanted);
    await eventually(() => received.length === 1);
    expect(received.map(({ subject }) => subject)).toEqual([`fleetwatch.${thief.id}.${wanted}`]);
    await close();
  });
});
