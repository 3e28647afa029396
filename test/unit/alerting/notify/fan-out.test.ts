import { beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/notifier.ts';
import { grant } from '#infra/local/grant.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { withLatestAlert } from '#lib/alerting/decide/notified-state.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { skippedAlert } from '#test/support/alert-decisions.ts';
import { type AlertWorld, alertWorld, queueEvent, START, streamEvent, TENANT } from '#test/support/alert-world.ts';

const CHANNELS = ['chn_1', 'chn_2'].map((id) => ({
  id,
  channel_type: 'slack',
  config: { url: `https://hooks.test/${id}` },
  created_at: '2026-11-21T00:00:00.000Z',
}));
const IDS = CHANNELS.map((channel) => channel.id);

let world: AlertWorld;
let notifier: ReturnType<typeof create>;
let transition: DecidedTransition;
let alert: AlertItem;

beforeEach(async () => {
  world = await alertWorld();
  notifier = create(world.ports);
  await world.putPolicy(CHANNELS);
  transition = await world.put(world.transition(IDS));
  alert = await world.put(world.alertOf(transition, IDS));
});

const deliveries = async () => Promise.all(transition.alert.deliveries.map(world.delivery));
const enqueued = () => world.sent.filter((one) => one.queue === 'delivery').map((one) => one.body);
const reasons = () => world.log.lines.map(({ fields }) => (fields.error as Error).message);
const unavailable = () => Promise.reject(new AppError('UNAVAILABLE', 'The queue refuses.'));

describe('fanOut', () => {
  it('creates and enqueues one pending delivery per channel', async () => {
    expect(await notifier(streamEvent(alert))).toEqual({ batchItemFailures: [] });

    const [first] = await deliveries();
    expect(first).toMatchObject({
      id: transition.alert.deliveries[0],
      kind: 'state_change',
      transition_id: 'trn_1',
      transition_sk: transition.sk,
      from_state: 'up',
      to_state: 'down',
      check_id: 'chk_pay',
      entity_id: 'ent_shop',
      channel_id: 'chn_1',
      channel_type: 'slack',
      status: 'pending',
      attempts: 0,
      sent_at: null,
      error: '',
      expires_at: transition.expires_at,
    });
    expect(enqueued()).toEqual(transition.alert.deliveries.map((delivery_id) => ({ tenant_id: TENANT, delivery_id })));
  });

  it('creates nothing twice and enqueues pending deliveries again when repeated', async () => {
    await notifier(streamEvent(alert));
    const before = await deliveries();
    const { v: _v, ...sent } = before[0]!;
    await world.put({ ...sent, v: 'other', status: 'sent' as const, attempts: 1 });
    world.sent.length = 0;
    world.pass(60_000);

    await notifier(streamEvent(alert, alert));

    expect((await deliveries()).map((one) => one?.status)).toEqual(['sent', 'pending']);
    expect((await deliveries())[1]).toEqual(before[1]);
    const pending = { tenant_id: TENANT, delivery_id: transition.alert.deliveries[1] };
    expect(enqueued()).toEqual([pending, pending]);
  });

  it('continues after a crash between creating and enqueueing', async () => {
    const send = world.ports.queues.send;
    world.ports.queues.send = () => Promise.reject(new Error('killed'));
    expect(await notifier(streamEvent(alert))).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect((await deliveries()).map((one) => one?.status)).toEqual(['pending', 'pending']);

    world.ports.queues.send = send;
    expect(await notifier(streamEvent(alert))).toEqual({ batchItemFailures: [] });
    expect(enqueued()).toHaveLength(2);
  });

  it('creates a delivery even when the channel was removed', async () => {
    await world.putPolicy(CHANNELS.slice(0, 1));
    await notifier(streamEvent(alert));
    expect((await deliveries())[1]).toMatchObject({ channel_id: 'chn_2', status: 'pending' });
  });
});

describe('the event bus', () => {
  it('receives an event for every change, with or without an alert', async () => {
    const skipped = world.transition([], {
      sk: `${transition.sk}1`,
      transition_id: 'trn_2',
      alert: skippedAlert('cooldown', START),
    });
    await notifier(streamEvent(transition, skipped));
    expect(world.published.map((event) => event.detail_type)).toEqual(['state_change', 'state_change']);
    expect(world.published.map((event) => event.detail)).toContainEqual({
      entity_id: 'ent_shop',
      entity_name: 'Shop',
      check_id: 'chk_pay',
      tenant_id: TENANT,
      from_state: 'up',
      to_state: 'down',
      check_from_state: 'up',
      check_to_state: 'down',
      transition_id: 'trn_2',
      timestamp: '2026-11-21T05:16:40.123Z',
    });
  });

  it.each(['check_enabled', 'check_disabled', 'check_deleted'] as const)(
    'receives no event for a transition by %s',
    async (cause) => {
      await notifier(streamEvent(world.transition([], { cause })));
      expect(world.published).toEqual([]);
    },
  );

  it('receives no event for an alert, because its transition has one', async () => {
    await notifier(streamEvent(alert));
    expect(world.published).toEqual([]);
  });
});

describe('a transition whose event the bus refuses', () => {
  it('is retried later and does not delay others', async () => {
    const other = world.transition(IDS, { transition_id: 'trn_2', sk: `${transition.sk}1` });
    const publish = world.ports.bus.publish;
    world.ports.bus.publish = async (events) => {
      if (JSON.stringify(events).includes('trn_1')) throw new AppError('UNAVAILABLE', 'The bus refuses.');
      await publish(events);
    };

    expect(await notifier(streamEvent(transition, other))).toEqual({ batchItemFailures: [] });
    expect(world.published).toHaveLength(1);
    const parked = world.sent.filter((one) => one.queue === 'notify');
    expect(parked).toEqual([
      {
        queue: 'notify',
        body: { tenant_id: TENANT, check_id: 'chk_pay', sk: transition.sk },
        not_before: START + 5000,
        group: TENANT,
      },
    ]);

    world.ports.bus.publish = publish;
    expect(await notifier(queueEvent(parked.map((one) => one.body)))).toEqual({ batchItemFailures: [] });
    expect(world.published).toHaveLength(2);
  });
});

describe('an alert that cannot be enqueued', () => {
  it('is retried by the stream only if it cannot be parked either', async () => {
    world.ports.queues.send = unavailable;
    const other = world.transition([], { transition_id: 'trn_2', sk: `${transition.sk}1`, check_to_state: 'up' });
    expect(await notifier(streamEvent(other, alert))).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  it('ends its deliveries as failed at the last attempt', async () => {
    const parked = { tenant_id: TENANT, check_id: 'chk_pay', sk: alert.sk };
    world.ports.queues.send = unavailable;

    await notifier(queueEvent([parked]));
    expect((await deliveries()).map((one) => one?.status)).toEqual(['pending', 'pending']);

    const answer = await notifier(queueEvent([parked], 'last'));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    for (const delivery of await deliveries()) {
      expect(delivery).toMatchObject({
        status: 'failed',
        attempts: 0,
        error: expect.stringContaining('could not be queued'),
      });
    }
  });

  it('follows up its failed deliveries with the permissions of the notifier', async () => {
    const announced = withLatestAlert({}, { id: alert.id, reports_state: 'down' });
    await world.put({ ...world.check, state: 'down' as const, alerts: { last_planned_at: START, announced } });
    const parked = { tenant_id: TENANT, check_id: 'chk_pay', sk: alert.sk };
    const { send } = world.ports.queues;
    world.ports.queues.send = (queue, messages) => (queue === 'delivery' ? unavailable() : send(queue, messages));

    await create(grant(world.ports, 'notifier'))(queueEvent([parked], 'last'));

    expect((await deliveries()).map((one) => one?.status)).toEqual(['failed', 'failed']);
    expect(world.sent.map(({ queue }) => queue)).toEqual(['deadline']);
    expect(reasons()).toEqual(['The queue refuses.']);
  });

  it('ends a delivery as failed even if ending another one fails', async () => {
    await world.put({
      ...world.check,
      alerts: { announced: withLatestAlert({}, { id: alert.id, reports_state: 'down' }) },
    });
    const parked = { tenant_id: TENANT, check_id: 'chk_pay', sk: alert.sk };
    world.ports.queues.send = unavailable;
    const { table } = world.ports;
    const first = world.keys.delivery(TENANT, transition.alert.deliveries[0]!);
    const endsFirst = (write: Write) =>
      'put' in write && write.put.sk === first.sk && (write.put as DeliveryItem).status === 'failed';
    world.ports.table = {
      ...table,
      transact: async (writes) => {
        if (writes.some(endsFirst)) throw new Error('The table is away.');
        return table.transact(writes);
      },
    };

    await notifier(queueEvent([parked], 'last'));

    expect((await deliveries()).map((one) => one?.status)).toEqual(['pending', 'failed']);
    expect(reasons()).toEqual(['The table is away.', 'The queue refuses.']);
  });

  it('does not fail other messages when one is malformed', async () => {
    const parked = { tenant_id: TENANT, check_id: 'chk_pay', sk: alert.sk };
    expect(await notifier(queueEvent([{ sk: 1 }, parked]))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(enqueued()).toHaveLength(2);
  });
});
