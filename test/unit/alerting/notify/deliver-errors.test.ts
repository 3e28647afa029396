import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { FURTHER_MS } from '#lib/alerting/notify/deliver.ts';
import type { Key, Table } from '#lib/platform/ports.ts';
import { queueEvent, START, TENANT } from '#test/support/alert-world.ts';
import { id, last, plan, receiver, run, slack, startDelivery, world } from './delivery-world.ts';

beforeEach(() => startDelivery());
afterEach(() => receiver.close());

describe('deliver when its channel, check, entity or account is gone', () => {
  it.each([
    ['the channel was removed', () => world.putPolicy([])],
    ['the account is disabled', () => world.put({ ...world.account, disabled: true })],
    ['the entity was deleted', () => remove(world.entity)],
    ['the check was deleted', () => remove(world.check)],
    [
      'channel type pigeon is not supported by this release',
      () => world.putPolicy([{ ...slack(), channel_type: 'pigeon' }]),
    ],
  ])('fails immediately when %s', async (error, change) => {
    await change();
    expect(await run()).toEqual({ batchItemFailures: [] });
    expect(await world.delivery(id)).toMatchObject({ status: 'failed', attempts: 0, error });
    expect(receiver.received).toEqual([]);
    expect(world.sent).toEqual([]);
  });

  it('leaves no latest delivery of a removed channel', async () => {
    await world.putPolicy([]);
    await run();
    expect(await last()).toBeUndefined();
  });

  it('leaves no latest delivery when it sends a closing alert after the deletion of its check', async () => {
    const delivery = (await world.delivery(id))!;
    await world.put({ ...delivery, kind: 'closed', channel: slack() });
    await remove(world.check);
    receiver.behave({ status: 500 }, { status: 200 });
    await run();
    world.pass(1000);
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 2 });
    expect(await last()).toBeUndefined();
  });

  it('records a closing alert of an existing check as the latest delivery', async () => {
    const delivery = (await world.delivery(id))!;
    await world.put({ ...delivery, kind: 'closed', channel: slack() });
    await run();
    expect((await last())?.delivery).toMatchObject({ id, kind: 'closed', status: 'sent' });
  });

  it('leaves no latest delivery when it gives up after the deletion of its check', async () => {
    await remove(world.check);
    await run('over');
    expect(await world.delivery(id)).toMatchObject({ status: 'failed' });
    expect(await last()).toBeUndefined();
  });

  it('drops the message when the delivery does not exist', async () => {
    await remove(world.keys.delivery(TENANT, id));
    expect(await run()).toEqual({ batchItemFailures: [] });
    expect(receiver.received).toEqual([]);
  });
});

const remove = ({ pk, sk }: { pk: string; sk: string }) => world.table.transact([{ delete: { pk, sk } }]);

describe('deliver after internal errors', () => {
  it('sends again with the same id after an error between sending and recording', async () => {
    const restore = world.failRecording();
    const messages = world.sent.map((one) => one.body);
    expect(await run()).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(await world.delivery(id)).toMatchObject({ status: 'pending' });

    restore();
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received.map((one) => one.headers['x-service-delivery'])).toEqual([id, id]);
    expect(await world.delivery(id)).toMatchObject({ status: 'sent' });
  });

  it('loses no attempt after an error between recording and enqueueing the retry', async () => {
    receiver.behave({ status: 500 }, { status: 200 });
    const messages = world.sent.map((one) => one.body);
    const { send } = world.ports.queues;
    world.ports.queues.send = () => Promise.reject(new Error('killed'));
    expect(await run()).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });

    world.ports.queues.send = send;
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received).toHaveLength(1);
    world.pass(1000 + FURTHER_MS);
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 2 });
  });

  it('sends at the last attempt when errors prevented all earlier ones', async () => {
    expect(await run('last')).toEqual({ batchItemFailures: [] });
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('ends as failed, and counts the failure, when an error prevents the last attempt', async () => {
    const { getMany } = world.ports.table;
    world.ports.table.getMany = (keys: Key[]) =>
      keys.some(({ sk }) => sk === 'POLICY') ? Promise.reject(new Error('no answer')) : getMany(keys);
    expect(await run('last')).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(receiver.received).toEqual([]);
    expect(await world.delivery(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('given up') });
    expect(world.counted).toEqual(['FailedDeliveries']);
  });

  it('ends as failed without an attempt on the last receive, and leaves a dead letter', async () => {
    expect(await run('over')).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(receiver.received).toEqual([]);
    expect(await world.delivery(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('given up') });
    expect((await last())?.delivery.status).toBe('failed');
    expect(world.counted).toEqual(['FailedDeliveries']);
  });

  it('handles the other messages of a batch when one is malformed', async () => {
    const body = world.takeDue('delivery')[0]!.body;
    const answer = await create(world.ports)(queueEvent([{ delivery_id: 7 }, body]));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(await world.delivery(id)).toMatchObject({ status: 'sent' });
  });
});

/** Returns two deliverers with a shared table but separate locks. Both read before either records. */
function twoProcesses() {
  const { promise: bothHaveRead, resolve } = Promise.withResolvers<void>();
  let reads = 0;
  return [1, 2].map(() => {
    const table: Table = {
      ...world.table,
      get: async (key) => {
        const item = await world.table.get(key);
        if (++reads === 2) resolve();
        await bothHaveRead;
        return item as never;
      },
    };
    return create({ ...world.ports, table });
  });
}

describe('concurrent deliverers of one message', () => {
  it('make one attempt when a redelivered message and its retry are due together', async () => {
    receiver.behave({ status: 500 });
    const messages = world.sent.map((one) => one.body);
    await run();
    world.pass(1000);
    const retry = world.takeDue('delivery').map((one) => one.body);
    await create(world.ports)(queueEvent([...messages, ...retry]));
    expect(receiver.received).toHaveLength(2);
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', attempts: 2 });
    expect(world.sent.map((one) => one.not_before)).toEqual([START + 3000, START + 3000 + FURTHER_MS]);
  });

  it.each([
    ['sent', [500, 200]],
    ['retrying', [500, 500]],
  ])('in two processes count as one attempt, and the delivery is %s', async (status, statuses) => {
    receiver.behave(...statuses.map((one) => ({ status: one })));
    const body = world.takeDue('delivery')[0]!.body;
    await Promise.all(twoProcesses().map((deliverer) => deliverer(queueEvent([body]))));
    expect(receiver.received).toHaveLength(2);
    expect(await world.delivery(id)).toMatchObject({ status, attempts: 1 });
  });

  it('make at most three attempts through all retries', async () => {
    receiver.behave({ status: 500 });
    for (const wait of [1000, 2000]) {
      await run();
      world.pass(wait);
    }
    const due = world.takeDue('delivery')[0]!.body;
    receiver.behave({ status: 500 }, { status: 200 });
    await Promise.all(twoProcesses().map((deliverer) => deliverer(queueEvent([due]))));
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 3 });
  });

  it('keep the newer of two alerts as the latest of the channel', async () => {
    const older = world.takeDue('delivery')[0]!.body;
    const olderId = id;
    world.pass(5000);
    await plan(slack(), { transition_id: 'trn_2' });
    await run();
    await create(world.ports)(queueEvent([older]));
    expect(id > olderId).toBe(true);
    expect((await last())?.delivery.id).toBe(id);
    expect(await world.delivery(olderId)).toMatchObject({ status: 'sent' });
  });
});
