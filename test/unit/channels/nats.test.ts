import { afterEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { testChannel } from '#lib/alerting/configure/preview.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import { natsPublisher } from '#lib/channels/nats-client.ts';
import { ALERTS, under } from '#lib/keys.ts';
import { type AlertWorld, alertWorld, queueEvent, streamEvent, TENANT } from '#test/support/alert-world.ts';
import { memoryLog } from '#test/support/log.ts';
import { type NatsStandIn, startNats } from '#test/support/nats-stand-in.ts';

const channel: Channel = {
  id: 'chn_1',
  channel_type: 'nats',
  config: { subject: 'fleet.alerts' },
  created_at: '2026-11-21T00:00:00.000Z',
};

const opened: NatsStandIn[] = [];
const nats = async (options = {}) => {
  const server = await startNats(options);
  opened.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

/** Sends an alert of a transition to the channel, and attempts the delivery. Returns the id of the delivery. */
async function alert(world: AlertWorld): Promise<string> {
  await world.putPolicy([channel]);
  const transition = await world.put(world.transition(['chn_1']));
  const alert = await world.put(world.alertOf(transition, ['chn_1'], { channel_type: 'nats' }));
  await createNotifier(world.ports)(streamEvent(alert));
  await attempt(world);
  return transition.alert.deliveries[0]!;
}
const attempt = (world: AlertWorld) =>
  create(world.ports)(queueEvent(world.takeDue('delivery').map((one) => one.body)));

describe('a delivery over NATS', () => {
  it('publishes the event as JSON on the subject, with its delivery id', async () => {
    const server = await nats();
    const world = await alertWorld({ NATS_URL: server.url });
    const id = await alert(world);
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', channel_type: 'nats' });
    expect(server.published).toHaveLength(1);
    expect(server.published[0]!.subject).toBe(`fleetwatch.${TENANT}.fleet.alerts`);
    expect(JSON.parse(server.published[0]!.body)).toMatchObject({ transition_id: 'trn_1', check_to_state: 'down' });
    expect(server.published[0]!.headers).toContain(`X-Service-Delivery: ${id}`);
  });

  it('has a subject without a prefix if NATS_SUBJECT_PREFIX is empty', async () => {
    const server = await nats();
    await alert(await alertWorld({ NATS_URL: server.url, NATS_SUBJECT_PREFIX: '' }));
    expect(server.published[0]!.subject).toBe('fleet.alerts');
  });

  it('fails with a message for the operator if NATS is not configured', async () => {
    const world = await alertWorld();
    const id = await alert(world);
    expect((await world.delivery(id))?.error).toBe('NATS is not configured; the operator must set NATS_URL');
  });

  it('is retried when the server is not reachable, without revealing its address', async () => {
    const server = await nats();
    await server.close();
    const world = await alertWorld({ NATS_URL: `${server.url},nats://127.0.0.1:1` });
    const id = await alert(world);
    expect(await world.delivery(id)).toMatchObject({
      status: 'retrying',
      attempts: 1,
      error: 'the NATS server of this service could not be reached or did not respond in time',
    });
  });

  it('is made by the deliverer in a channel test, because only the deliverer reaches NATS', async () => {
    const server = await nats();
    const world = await alertWorld({ NATS_URL: server.url });
    await world.putPolicy([channel]);
    const delivery = await testChannel(world.context, world.check, channel);
    expect(delivery).toMatchObject({ kind: 'test', status: 'pending', attempts: 0 });
    const { items } = await world.table.query({
      partition: world.keys.ofCheck(TENANT, world.check.id),
      ...under(ALERTS),
    });
    await createNotifier(world.ports)(streamEvent(...items));
    await attempt(world);
    expect(await world.delivery(delivery.id)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(server.published[0]!.headers).toContain('X-Service-Kind: test');
  });
});

describe('the NATS client', () => {
  it('fails when a subject is rejected', async () => {
    const publish = natsPublisher((await nats()).url, memoryLog());
    await expect(publish('denied.alerts', '{}', {})).rejects.toThrow('the NATS server does not allow this subject');
  });

  it('gives up on a server that does not confirm', async () => {
    const publish = natsPublisher((await nats({ mute: true })).url, memoryLog(), 200);
    await expect(publish('fleet.alerts', '{}', {})).rejects.toThrow('did not respond in time');
  });

  it('uses the next server when one is not reachable', async () => {
    const server = await nats();
    await natsPublisher(`nats://127.0.0.1:1,${server.url}`, memoryLog())('fleet.alerts', '{}', {});
    expect(server.published).toHaveLength(1);
  });

  it('rejects an invalid address with a message', () => {
    expect(() => natsPublisher('nats://', memoryLog())).toThrow(/^NATS_URL is not an address/);
  });
});
