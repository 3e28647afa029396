import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import type { Key, Table } from '#lib/platform/ports.ts';
import { queueEvent, START, TENANT } from '#test/support/alert-world.ts';
import { id, last, plan, receiver, run, slack, startDelivery, world } from './delivery-world.ts';

beforeEach(() => startDelivery());
afterEach(() => receiver.close());

describe('a delivery that has lost its object', () => {
  it.each([
    ['the channel was removed', () => world.putPolicy([])],
    ['the account is disabled', () => world.put({ ...world.account, disabled: true })],
    ['the entity was deleted', () => remove(world.entity)],
    ['the check was deleted', () => remove(world.check)],
    [
      'channel type pigeon is not supported by this release',
      () => world.putPolicy([{ ...slack(), channel_type: 'pigeon' }]),
    ],
  ])('fails at once: %s', async (error, happen) => {
    await happen();
    expect(await run()).toEqual({ batchItemFailures: [] });
    expect(await world.delivery(id)).toMatchObject({ status: 'failed', attempts: 0, error });
    expect(receiver.received).toEqual([]);
    expect(world.sent).toEqual([]);
  });

  it('leaves no latest delivery behind for a channel that was removed', async () => {
    await world.putPolicy([]);
    await run();
    expect(await last()).toBeUndefined();
  });

  it('that is a closing note, sent when all else of its check was reclaimed, leaves nothing behind', async () => {
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

  it("that is a closing note of a check that is still there is its channel's latest", async () => {
    const delivery = (await world.delivery(id))!;
    await world.put({ ...delivery, kind: 'closed', channel: slack() });
    await run();
    expect((await last())?.delivery).toMatchObject({ id, kind: 'closed', status: 'sent' });
  });

  it('that is given up leaves no latest delivery behind when its check is gone', async () => {
    await remove(world.check);
    await run('over');
    expect(await world.delivery(id)).toMatchObject({ status: 'failed' });
    expect(await last()).toBeUndefined();
  });

  it('is let go when its record is no longer there', async () => {
    await remove(world.keys.delivery(TENANT, id));
    expect(await run()).toEqual({ batchItemFailures: [] });
    expect(receiver.received).toEqual([]);
  });
});

const remove = ({ pk, sk }: { pk: string; sk: string }) => world.table.transact([{ delete: { pk, sk } }]);

describe('faults of ours', () => {
  it('between sending and recording send again under the same delivery id', async () => {
    const { transact } = world.table;
    world.ports.table.transact = () => Promise.reject(new Error('killed'));
    const messages = world.sent.map((one) => one.body);
    expect(await run()).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(await world.delivery(id)).toMatchObject({ status: 'pending' });

    world.ports.table.transact = transact;
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received.map((one) => one.headers['x-service-delivery'])).toEqual([id, id]);
    expect(await world.delivery(id)).toMatchObject({ status: 'sent' });
  });

  it('between recording and sending the retry lose no attempt', async () => {
    receiver.behave({ status: 500 }, { status: 200 });
    const messages = world.sent.map((one) => one.body);
    const { send } = world.ports.queues;
    world.ports.queues.send = () => Promise.reject(new Error('killed'));
    expect(await run()).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });

    world.ports.queues.send = send;
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received).toHaveLength(1);
    world.pass(1000);
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 2 });
  });

  it('that kept it from being tried at all for an hour take no chance from it: it is sent then', async () => {
    expect(await run('last')).toEqual({ batchItemFailures: [] });
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('for too long end it as failed, where it is seen', async () => {
    const { getMany } = world.ports.table;
    world.ports.table.getMany = (keys: Key[]) =>
      keys.some(({ sk }) => sk === 'POLICY') ? Promise.reject(new Error('no answer')) : getMany(keys);
    expect(await run('last')).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(receiver.received).toEqual([]);
    expect(await world.delivery(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('given up') });
    expect(world.counted).toEqual(['FailedDeliveries']);
  });

  it('end it as failed on the last receive, without another try, and leave a dead letter', async () => {
    expect(await run('over')).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(receiver.received).toEqual([]);
    expect(await world.delivery(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('given up') });
    expect((await last())?.delivery.status).toBe('failed');
    expect(world.counted).toEqual(['FailedDeliveries']);
  });

  it('in one delivery leave the others of its batch alone', async () => {
    const body = world.takeDue('delivery')[0]!.body;
    const answer = await create(world.ports)(queueEvent([{ delivery_id: 7 }, body]));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(await world.delivery(id)).toMatchObject({ status: 'sent' });
  });
});

/** Deliverers that share the table and know nothing of each other's locks; both read before either of them records. */
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

describe('two deliverers of one message', () => {
  it('that a crash gives again when its own retry is due make one attempt', async () => {
    receiver.behave({ status: 500 });
    const given = world.sent.map((one) => one.body);
    await run();
    world.pass(1000);
    const retry = world.takeDue('delivery').map((one) => one.body);
    await create(world.ports)(queueEvent([...given, ...retry]));
    expect(receiver.received).toHaveLength(2);
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', attempts: 2 });
    expect(world.sent.map((one) => one.not_before)).toEqual([START + 3000, START + 3000]);
  });

  it.each([
    ['and what was sent stays sent', [500, 200], 'sent'],
    ['and its wait is kept', [500, 500], 'retrying'],
  ])('in two processes count as one attempt, %s', async (_, statuses, status) => {
    receiver.behave(...statuses.map((one) => ({ status: one })));
    const body = world.takeDue('delivery')[0]!.body;
    await Promise.all(twoProcesses().map((deliverer) => deliverer(queueEvent([body]))));
    expect(receiver.received).toHaveLength(2);
    expect(await world.delivery(id)).toMatchObject({ status, attempts: 1 });
  });

  it('through all their retries make no fourth attempt, even when the last goes well', async () => {
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

  it('of two alerts leave the newer one as the latest of the channel', async () => {
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
