import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { FURTHER_MS } from '#lib/alerting/notify/deliver.ts';
import { queueEvent, START, TENANT } from '#test/support/alert-world.ts';
import { rawTarget } from '#test/support/socket-target.ts';
import { signatureOf } from '#test/support/webhook-receiver.ts';
import { id, last, plan, receiver, run, SECRET_PATH, slack, startDelivery, world } from './delivery-world.ts';

beforeEach(() => startDelivery());
afterEach(() => receiver.close());

const everythingWritten = async () => JSON.stringify([await world.delivery(id), await last(), world.log.lines]);

describe('deliver', () => {
  it('sends once with id and kind in headers, and records the time', async () => {
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

  it('does not send again when its message is repeated', async () => {
    const messages = world.sent.map((one) => one.body);
    await run();
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received).toHaveLength(1);
  });

  it('signs a webhook over exactly the sent body', async () => {
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
  it('gets three attempts, one second and two seconds apart', async () => {
    receiver.behave({ status: 500, body: 'out of order' });
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', attempts: 1, sent_at: null });
    expect(world.sent).toEqual([
      {
        queue: 'delivery',
        body: { tenant_id: TENANT, delivery_id: id, due: START + 1000 },
        group: TENANT,
        not_before: START + 1000,
      },
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

  it('counts as failed once, after the last attempt', async () => {
    receiver.behave({ status: 500 });
    const messages = world.sent.map((one) => one.body);
    for (const wait of [1000, 2000]) {
      await run();
      world.pass(wait);
    }
    expect(world.counted).toEqual([]);
    await run();
    await create(world.ports)(queueEvent(messages));
    expect(world.counted).toEqual(['FailedDeliveries']);
  });

  it('gets the same request after it recovers, and the error is cleared', async () => {
    receiver.behave({ status: 503 }, { status: 204 });
    await run();
    world.pass(1000);
    await run();
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 2, error: '' });
    expect(world.counted).toEqual([]);
    expect(receiver.received[0]!.body).toBe(receiver.received[1]!.body);
  });

  it('gets no early attempt when the message is repeated', async () => {
    const messages = world.sent.map((one) => one.body);
    receiver.behave({ status: 503 });
    await run();
    world.sent.length = 0;
    await create(world.ports)(queueEvent(messages));
    expect(receiver.received).toHaveLength(1);
    expect(world.sent.map((one) => one.not_before)).toEqual([START + 1000 + FURTHER_MS]);
  });

  it('gets no request at a redirect target, and the error names the fix', async () => {
    receiver.behave({ status: 302, headers: { location: `${receiver.url}/elsewhere` } });
    await run();
    expect(receiver.received).toHaveLength(1);
    expect((await world.delivery(id))?.error).toBe(
      "the receiver answered 302 Found; redirects are not followed, so put the final address into the channel's url",
    );
  });

  it('gets ten seconds to respond', async () => {
    receiver.behave('hang');
    const { http } = world.ports.net;
    let requested = 0;
    world.ports.net.http = (request) => {
      requested = request.timeout_ms;
      return http({ ...request, timeout_ms: 100 });
    };
    await run();
    expect(requested).toBe(10_000);
    expect(await world.delivery(id)).toMatchObject({ status: 'retrying', attempts: 1 });
    expect((await world.delivery(id))?.error).toMatch(/time|waiting/i);
  });

  it('counts as a failed attempt when it resets or refuses the connection', async () => {
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
  ])('counts as sent when it returns 2xx and then %s', async (_, then) => {
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
  ])('counts as %i when its response is truncated', async (status, expected) => {
    const head = `HTTP/1.1 ${status} No\r\nContent-Length: 100\r\n\r\nno`;
    await using target = await rawTarget((socket) => socket.once('data', () => socket.end(head)));
    await world.putPolicy([slack(target.url)]);
    await run();
    expect(await world.delivery(id)).toMatchObject(expected);
  });

  it('leaves no secrets in records or logs, even when it returns them', async () => {
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

describe('restricted egress', () => {
  it('fails with the reason and sends nothing', async () => {
    await startDelivery({ CHECK_EGRESS: 'public' });
    await run();
    expect(receiver.received).toEqual([]);
    expect((await world.delivery(id))?.error).toContain('127.0.0.1 is a loopback address');
  });
});
