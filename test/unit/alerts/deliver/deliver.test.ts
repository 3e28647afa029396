import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import type { LastDeliveryItem } from '#lib/alerts/deliver/delivery-item.ts';
import type { Channel } from '#lib/checks/policy-item.ts';
import type { Chance } from '#lib/platform/batch.ts';
import type { Key, Table } from '#lib/platform/ports.ts';
import { type AlertWorld, alertWorld, queueEvent, START, streamEvent, TENANT } from '#test/support/alert-world.ts';
import { rawTarget } from '#test/support/socket-target.ts';
import { signatureOf, startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const SECRET_PATH = '/services/T0SECRET/B0SECRET/topsecret';

let receiver: WebhookReceiver;
let world: AlertWorld;
let id: string;

beforeEach(async () => {
  receiver = await startReceiver();
  world = await alertWorld();
  await plan(slack());
});
afterEach(() => receiver.close());

const slack = (url = receiver.url + SECRET_PATH): Channel => ({
  id: 'chn_1',
  channel_type: 'slack',
  config: { url },
  created_at: '2026-11-21T00:00:00.000Z',
});

/** A transition to down that is to be told to one channel, fanned out. */
async function plan(channel: Channel, changes: Parameters<AlertWorld['transition']>[1] = {}): Promise<void> {
  await world.putPolicy([channel]);
  const transition = await world.put(world.transition([channel.id], changes));
  await createNotifier(world.ports)(streamEvent(transition));
  id = transition.alert.deliveries[0]!;
}

/** Gives the deliverer what is due by now. */
const run = async (chance: Chance = 'more', deliverer = create(world.ports)) =>
  deliverer(
    queueEvent(
      world.takeDue('delivery').map((one) => one.body),
      chance,
    ),
  );

const last = () => world.table.get<LastDeliveryItem>(world.keys.lastDelivery(TENANT, 'chk_pay', 'chn_1'));
const everythingWritten = async () => JSON.stringify([await world.delivery(id), await last(), world.log.lines]);

describe('a delivery', () => {
  it('is sent once, with its id and kind in headers, and recorded with the time', async () => {
    world.pass(2000);
    expect(await run()).toEqual({ batchItemFailures: [] });

    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]).toMatchObject({
      method: 'POST',
      path: SECRET_PATH,
      headers: { 'x-service-delivery': id, 'x-service-kind': 'state_change', 'content-type': 'application/json' },
    });
    expect(JSON.parse(receiver.received[0]!.body).text).toBe(':red_circle: Shop: checkout is down');
    const sent = { status: 'sent', attempts: 1, sent_at: '2026-11-21T05:16:42.123Z', error: '' };
    expect(await world.delivery(id)).toMatchObject(sent);
    expect((await last())?.delivery).toMatchObject({ id, ...sent });
    expect(world.sent).toEqual([]);
  });

  it('is not sent again when its message comes again', async () => {
    const messages = world.sent.map((one) => one.body);
    await run();
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received).toHaveLength(1);
  });

  it('is signed with the secret of a webhook over exactly what is sent', async () => {
    await receiver.close();
    receiver = await startReceiver({ tls: true });
    await plan(
      { ...slack(), channel_type: 'webhook', config: { url: `${receiver.url}/in`, secret: 'lét me sign' } },
      { transition_id: 'trn_signed', entity_name: 'Büro' },
    );
    await run();
    const request = receiver.received[0]!;
    expect(JSON.parse(request.body)).toMatchObject({ transition_id: 'trn_signed', entity_name: 'Büro' });
    expect(request.headers['x-service-signature']).toBe(await signatureOf(request.body, 'lét me sign'));
  });
});

describe('a failing receiver', () => {
  it('is tried three times in all, a second after the first and two after the second', async () => {
    receiver.behave({ status: 500, body: 'out of order' });
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', attempts: 1, sent_at: null });
    expect(world.sent).toEqual([
      { queue: 'delivery', body: { tenant_id: TENANT, delivery_id: id }, group: TENANT, not_before: START + 1000 },
    ]);

    world.pass(999);
    await run();
    expect(receiver.received).toHaveLength(1);
    world.pass(1);
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', attempts: 2 });
    expect(world.sent.map((one) => one.not_before)).toEqual([START + 3000]);

    world.pass(2000);
    await run();
    expect(await world.delivery(id)).toMatchObject({
      status: 'failed',
      attempts: 3,
      sent_at: null,
      error: 'the receiver answered 500 Internal Server Error: out of order',
    });
    expect((await last())?.delivery.status).toBe('failed');
    expect(receiver.received.map((one) => one.headers['x-service-delivery'])).toEqual([id, id, id]);
    expect(world.sent).toEqual([]);
  });

  it('is counted once, when the last of its tries has failed', async () => {
    receiver.behave({ status: 500 });
    const given = world.sent.map((one) => one.body);
    for (const wait of [1000, 2000]) {
      await run();
      world.pass(wait);
    }
    expect(world.counted).toEqual([]);
    await run();
    await create(world.ports)(queueEvent(given));
    expect(world.counted).toEqual(['FailedDeliveries']);
  });

  it('that recovers gets the same request, and the error is gone', async () => {
    receiver.behave({ status: 503 }, { status: 204 });
    await run();
    world.pass(1000);
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 2, error: '' });
    expect(world.counted).toEqual([]);
    expect(receiver.received[0]!.body).toBe(receiver.received[1]!.body);
  });

  it('is not tried early by a message that comes twice', async () => {
    const messages = world.sent.map((one) => one.body);
    receiver.behave({ status: 503 });
    await run();
    world.sent.length = 0;
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received).toHaveLength(1);
    expect(world.sent.map((one) => one.not_before)).toEqual([START + 1000]);
  });

  it('is told where to look when it redirects, and the redirect is not followed', async () => {
    receiver.behave({ status: 302, headers: { location: `${receiver.url}/elsewhere` } });
    await run();
    expect(receiver.received).toHaveLength(1);
    expect((await world.delivery(id))?.error).toBe(
      "the receiver answered 302 Found; redirects are not followed, so put the final address into the channel's url",
    );
  });

  it('that hangs is given ten seconds', async () => {
    receiver.behave('hang');
    const { http } = world.ports.net;
    let asked = 0;
    world.ports.net.http = (request) => {
      asked = request.timeout_ms;
      return http({ ...request, timeout_ms: 100 });
    };
    await run();
    expect(asked).toBe(10_000);
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', attempts: 1 });
    expect((await world.delivery(id))?.error).toMatch(/time|waiting/i);
  });

  it('that resets or refuses the connection is a failed attempt like any other', async () => {
    receiver.behave('reset');
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', error: expect.stringMatching(/./) });
    await receiver.close();
    world.pass(1000);
    await run();
    expect(await world.delivery(id)).toMatchObject({ attempts: 2, error: expect.stringContaining('refused') });
  });

  it.each([
    ['breaks off', (socket: Socket) => socket.end()],
    ['hangs', () => {}],
  ])('that says 2xx has taken it, even if its answer then %s', async (_, then) => {
    const { http } = world.ports.net;
    world.ports.net.http = (request) => http({ ...request, timeout_ms: 200 });
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok';
    await using target = await rawTarget((socket) => socket.once('data', () => socket.write(head, () => then(socket))));
    await world.putPolicy([slack(target.url)]);
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 1, error: '' });
    expect(world.sent).toEqual([]);
  });

  it.each([
    [500, { status: 'retrying', attempts: 1 }],
    [429, { status: 'retrying', attempts: 0 }],
  ])('that says %i has not, and its answer breaks off', async (status, expected) => {
    const head = `HTTP/1.1 ${status} No\r\nContent-Length: 100\r\n\r\nno`;
    await using target = await rawTarget((socket) => socket.once('data', () => socket.end(head)));
    await world.putPolicy([slack(target.url)]);
    await run();
    expect(await world.delivery(id)).toMatchObject(expected);
  });

  it('never gets its secrets into records or logs, even when it quotes them', async () => {
    const url = `${receiver.url}${SECRET_PATH}?key=alsosecret`;
    await plan(
      { ...slack(), channel_type: 'ntfy', config: { url, token: 'tk_verysecret' } },
      { transition_id: 'trn_2' },
    );
    world.takeDue('delivery');
    await create(world.ports)(queueEvent([{ tenant_id: TENANT, delivery_id: id }]));
    receiver.behave({
      status: 403,
      body: `no ${SECRET_PATH}?key=alsosecret for tk_verysecret, topsecret at ${url}`,
    });
    await plan(
      { ...slack(), channel_type: 'ntfy', config: { url, token: 'tk_verysecret' } },
      { transition_id: 'trn_3' },
    );
    await run();
    expect((await world.delivery(id))?.error).toMatch(/^the receiver answered 403 Forbidden: no \*{8}/);
    expect(await everythingWritten()).not.toMatch(/SECRET|secret/);

    await receiver.close();
    world.pass(1000);
    await run();
    expect(await everythingWritten()).not.toMatch(/SECRET|secret/);
  });
});

describe('where channels may not go', () => {
  it('a delivery fails with the reason and reaches nobody', async () => {
    world = await alertWorld({ CHECK_EGRESS: 'public' });
    await plan(slack());
    await run();
    expect(receiver.received).toEqual([]);
    expect((await world.delivery(id))?.error).toContain('127.0.0.1 is a loopback address');
  });
});

describe('a delivery that has lost its object', () => {
  it.each([
    ['the channel was removed', () => world.putPolicy([])],
    ['the account is disabled', () => world.put({ ...world.account, disabled: true })],
    ['the entity was deleted', () => remove(world.entity)],
    ['the check was deleted', () => remove(world.check)],
    ['this release knows no channel type pigeon', () => world.putPolicy([{ ...slack(), channel_type: 'pigeon' }])],
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
    await plan(slack(), {
      transition_id: 'trn_2',
      alert: { decision: 'planned', reason: null, deliveries: [`${olderId}z`] },
      channel_ids: ['chn_1'],
    });
    await run();
    await create(world.ports)(queueEvent([older]));
    expect((await last())?.delivery.id).toBe(`${olderId}z`);
    expect(await world.delivery(olderId)).toMatchObject({ status: 'sent' });
  });
});
