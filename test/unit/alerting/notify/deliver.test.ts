import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { queueEvent, START, TENANT } from '#test/support/alert-world.ts';
import { rawTarget } from '#test/support/socket-target.ts';
import { signatureOf } from '#test/support/webhook-receiver.ts';
import { id, last, plan, receiver, run, SECRET_PATH, slack, startDelivery, world } from './delivery-world.ts';

beforeEach(() => startDelivery());
afterEach(() => receiver.close());

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
    await startDelivery({}, true);
    world.takeDue('delivery');
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
    await startDelivery({ CHECK_EGRESS: 'public' });
    await run();
    expect(receiver.received).toEqual([]);
    expect((await world.delivery(id))?.error).toContain('127.0.0.1 is a loopback address');
  });
});
