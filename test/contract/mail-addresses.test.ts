import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commit } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { reportDue } from '#lib/schedule/jobs.ts';
import { type Client, clientOf, newTenantOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { pushTo } from '#test/support/failing-check.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';
import { type SmtpSink, startSmtpSink } from '#test/support/smtp-sink.ts';

const PUBLIC_URL = 'https://status.example.com';

let service: Service;
let sink: SmtpSink;
let client: Client & { id: string };
beforeAll(async () => {
  sink = await startSmtpSink('127.77.0.1');
  service = await startService({
    env: { PUBLIC_URL, SMTP_URL: sink.url, MAIL_FROM: 'Fleetwatch <alerts@example.com>' },
  });
  client = await newTenantOf(service);
});
afterAll(async () => {
  await service.stop();
  await sink[Symbol.asyncDispose]();
});

let count = 0;
const newAddress = () => `person${++count}@example.com`;

const addChannel = async (to: string, by: Client = client) =>
  got(await by.post('/v1/notify/channels', { name: 'Mail', channel_type: 'email', config: { to } }), 201);
const readChannel = async (id: string) => got(await client.get(`/v1/notify/channels/${id}`), 200);

const mailsTo = (address: string) => sink.mails.filter(({ to }) => to.includes(address));
const mailTo = (address: string, n = 1) => eventually(() => mailsTo(address)[n - 1]?.text);

/** Returns the path of a link in a mail. */
const linkIn = (mail: string, page: string): string =>
  new RegExp(`${PUBLIC_URL}(/a/${page}/[\\w.-]+)`).exec(mail)?.[1] ?? '';

const visit = async (path: string, method = 'GET', init: RequestInit = {}) => {
  const response = await fetch(service.url + path, { method, redirect: 'manual', ...init });
  return { status: response.status, text: await response.text() };
};

/** Creates a channel and confirms its addresses. */
async function confirmedChannel(...addresses: string[]) {
  const channel = await addChannel(addresses.join(','));
  for (const address of addresses) await visit(linkIn(await mailTo(address), 'confirm'), 'POST');
  return channel;
}

/** Sends a test alert and returns its delivery once it has ended. */
async function sendTest(channel: { id: string }) {
  const { id } = got(await client.post(`/v1/notify/channels/${channel.id}/test`), 200);
  return eventually(async () => {
    const delivery = got(await client.get(`/v1/notify/logs/${id}`), 200);
    return ['sent', 'failed'].includes(delivery.status) && delivery;
  });
}

describe('an address of an email channel', () => {
  it('is asked to confirm by a mail that names account and user, and gets no alert before that', async () => {
    const address = newAddress();
    const channel = await addChannel(address);
    expect(channel.addresses).toEqual([{ address, status: 'pending', asked_at: null, error: '' }]);
    const mail = await mailTo(address);
    expect(mail).toContain('test@example.com (key First admin key) wants to send alerts of the account "Test account"');
    expect(await sendTest(channel)).toMatchObject({ status: 'failed', error: `not sent: ${address} is not confirmed` });
    expect(mailsTo(address)).toHaveLength(1);
    expect((await readChannel(channel.id)).addresses[0]).toMatchObject({
      status: 'pending',
      asked_at: expect.any(String),
    });
  });

  it('is confirmed once, by the button of the page, and not by a scanner that opens the link', async () => {
    const address = newAddress();
    const channel = await addChannel(address);
    const link = linkIn(await mailTo(address), 'confirm');
    for (const method of ['GET', 'HEAD', 'GET']) expect((await visit(link, method)).status).toBe(200);
    expect((await visit(link)).text).toMatch(/<form method="post"><button type="submit">Confirm<\/button>/);
    expect((await readChannel(channel.id)).addresses[0].status).toBe('pending');
    expect(await visit(link, 'POST')).toMatchObject({ status: 200, text: expect.stringContaining('is confirmed') });
    expect((await visit(link, 'POST')).status).toBe(410);
    expect((await readChannel(channel.id)).addresses[0].status).toBe('confirmed');
    expect(await sendTest(channel)).toMatchObject({ status: 'sent', error: '' });
  });

  it('is confirmed by one of twenty concurrent requests', async () => {
    const address = newAddress();
    await addChannel(address);
    const link = linkIn(await mailTo(address), 'confirm');
    const done = await Promise.all(Array.from({ length: 20 }, () => visit(link, 'POST')));
    expect(done.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each(['confirm/fwm_0', `confirm/fwm_${'0'.repeat(43)}`, 'unsubscribe/x', 'unsubscribe/YQ.AAAAAAAAAAAAAAAAAAAAAA'])(
    'cannot be changed by the forged link %s',
    async (path) => {
      for (const method of ['GET', 'POST']) expect((await visit(`/a/${path}`, method)).status).toBeGreaterThan(400);
    },
  );

  it('unsubscribes from every channel of the account with one click in a mail program (RFC 8058)', async () => {
    const [address, other] = [newAddress(), newAddress()];
    const channel = await confirmedChannel(address, other);
    await sendTest(channel);
    const link = linkIn(await mailTo(address, 2), 'unsubscribe');
    expect((await visit(link)).text).toContain('Unsubscribe from Test account?');
    expect((await readChannel(channel.id)).addresses[0].status).toBe('confirmed');
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await visit(link, 'POST', { body, headers: { origin: 'https://mail.example' } })).status).toBe(200);
    const error = `not sent to all addresses: ${address} has unsubscribed`;
    expect(await sendTest(channel)).toMatchObject({ status: 'sent', error });
    const [entry] = got(await client.get(`/v1/audit?target=${address}&action=address.unsubscribe`), 200);
    expect(entry).toMatchObject({ via: 'link', changes: [{ path: 'status', from: 'confirmed', to: 'unsubscribed' }] });
    const again = await addChannel(address.toUpperCase());
    expect(again.addresses[0].status).toBe('unsubscribed');
    expect((await sendTest(again)).error).toBe(`not sent: ${address.toUpperCase()} has unsubscribed`);
    expect(mailsTo(address)).toHaveLength(2);
    const refused = await client.post('/v1/notify/addresses/ask', { address });
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_400);
  });

  it('cannot be unsubscribed with a link of another address and account', async () => {
    const [address, other] = [newAddress(), newAddress()];
    const channel = await confirmedChannel(address);
    await addChannel(other, await newTenantOf(service));
    expect((await visit(linkIn(await mailTo(other), 'unsubscribe'), 'POST')).status).toBe(200);
    expect((await readChannel(channel.id)).addresses[0].status).toBe('confirmed');
  });

  it('can be asked three times, and a newer link replaces the older', async () => {
    const address = newAddress();
    const channel = await addChannel(address);
    const first = linkIn(await mailTo(address), 'confirm');
    const ask = () => client.post('/v1/notify/addresses/ask', { address });
    for (let n = 2; n <= 3; n++) {
      got(await ask(), 200);
      await mailTo(address, n);
    }
    expect((await ask()).status).toBe(429);
    expect((await visit(first, 'POST')).status).toBe(410);
    expect((await visit(linkIn(await mailTo(address, 3), 'confirm'), 'POST')).status).toBe(200);
    expect((await readChannel(channel.id)).addresses[0].status).toBe('confirmed');
    const settled = await ask();
    expect([settled.status, settled.body.code]).toEqual([409, 'CONFLICT']);
    expect((await client.post('/v1/notify/addresses/ask', { address: 'unknown@example.com' })).status).toBe(404);
  });

  it('is shown in the channels of a check, whose alerts fail visibly until the address confirms', async () => {
    const address = newAddress();
    const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
    const channel = { channel_type: 'email', config: { to: address } };
    const made = got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
    expect(made.addresses).toEqual([{ address, status: 'pending', asked_at: null, error: '' }]);
    await pushTo(client, id, true);
    await pushTo(client, id, false);
    const delivery = await eventually(async () => {
      const [last] = got(await client.get(`/v1/notify/logs?channel_id=${made.id}`), 200);
      return last?.status === 'failed' && last;
    });
    expect(delivery.error).toBe(`not sent: ${address} is not confirmed`);
    const policy = got(await client.get(`/v1/checks/${id}/policy`), 200);
    expect(policy.channels[0].addresses).toHaveLength(1);
    const all = got(await client.get('/v1/notify/channels?limit=1000'), 200);
    expect(all.find((one: { id: string }) => one.id === made.id).addresses[0].address).toBe(address);
  });

  it('shares a limit of mails per hour with all addresses of its account, which GET /v1/me shows', async () => {
    expect(got(await clientOf(service.url, client.key).get('/v1/me'), 200)).toMatchObject({ mails_per_hour_limit: 60 });
  });
});

it('sends the monthly report to a confirmed user, with a link that unsubscribes', async () => {
  const { ports, keys } = service;
  const own = await newTenantOf(service);
  const { user } = got(await own.get('/v1/me'), 200);
  got(await own.put(`/v1/settings/users/${user.id}`, { email: newAddress() }), 200);
  const { email } = got(await own.put(`/v1/settings/users/${user.id}`, { monthly_report: true }), 200);
  expect((await visit(linkIn(await mailTo(email), 'confirm'), 'POST')).status).toBe(200);
  const entry = (await ports.table.get<DeadlineEntry>(keys.entry('report', own.id, user.id)))!;
  expect(iso(entry.deadline)).toMatch(/-01T08:00:00.000Z$/);
  const due = new Date(entry.deadline);
  due.setUTCMonth(due.getUTCMonth() - 1);
  const past: DeadlineEntry = { ...entry, deadline: Number(due) };
  await commit(ports, [{ put: past, if: { version: entry.v } }]);
  // The generator would send this message at its next tick.
  await ports.queues.send('publish', [reportDue(past, past.deadline, Date.now())]);
  const mail = await mailTo(email, 2);
  expect(mail).toMatch(/Uptime of Test account in \w+ \d{4}/);
  expect(mail).toContain('No data: nothing was monitored');
  expect((await visit(linkIn(mail, 'unsubscribe'), 'POST')).status).toBe(200);
});
