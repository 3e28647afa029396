import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import type { AccountItem } from '#lib/access/account.ts';
import { type MailAddressItem, mailAddressKey, memberAddressWrites } from '#lib/access/mail-address.ts';
import { testChannel } from '#lib/alerting/configure/preview.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { takeMails } from '#lib/alerting/notify/mail-address.ts';
import { ALERTS, under } from '#lib/keys.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { readSettings } from '#lib/settings.ts';
import { type AlertWorld, alertWorld, queueEvent, START, streamEvent, TENANT } from '#test/support/alert-world.ts';
import { makeAuthority } from '#test/support/certificates.ts';
import { eventually } from '#test/support/eventually.ts';
import { peerPython, startMailbox } from '#test/support/peers/peers.ts';

const PASSWORD = 'pa:ss/w%rd';
const FROM = 'Fleetwatch <alerts@fleet.example.com>';

/** Passes the stored alerts of the check to the notifier, and their deliveries to the deliverer. */
async function deliverTests(world: AlertWorld): Promise<void> {
  const { items } = await world.table.query({
    partition: world.keys.ofCheck(TENANT, world.check.id),
    ...under(ALERTS),
  });
  await createNotifier(world.ports)(streamEvent(...items));
  for (const { body } of world.takeDue('delivery')) await create(world.ports)(queueEvent([body]));
}

describe.skipIf(!peerPython())('a mail through a real mail server (aiosmtpd)', () => {
  let mailbox: Awaited<ReturnType<typeof startMailbox>>;
  let world: AlertWorld;
  const trusted = getCACertificates('default');

  beforeAll(async () => {
    const authority = await makeAuthority();
    setDefaultCACertificates([...trusted, authority.cert]);
    const certificate = await authority.issue({ names: ['127.77.0.1'] });
    mailbox = await startMailbox(certificate, 'fleet', PASSWORD);
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await mailbox[Symbol.asyncDispose]();
  });

  const urlOf = (password = PASSWORD): string =>
    `smtp://fleet:${encodeURIComponent(password)}@${mailbox.host}:${mailbox.port}`;
  const startWorld = async (SMTP_URL: string) => {
    world = await alertWorld({ SMTP_URL, MAIL_FROM: FROM, PUBLIC_URL: 'https://status.example.com' });
  };
  beforeEach(async () => {
    mailbox.kept.length = 0;
    await startWorld(urlOf());
  });

  const channelTo = (to: string) => ({
    id: 'chn_1',
    channel_type: 'email',
    config: { to },
    created_at: '2026-11-21T00:00:00.000Z',
  });

  const confirm = async (...addresses: string[]) => {
    for (const address of addresses)
      for (const write of await memberAddressWrites(world, TENANT, address)) await world.table.transact([write]);
  };
  const addressOf = (address: string) => world.table.get<MailAddressItem>(mailAddressKey(world.keys, TENANT, address));

  /** Confirms addresses, then alerts them about a transition. Returns the delivery after its first attempt. */
  async function confirmAndAlert(to: string, state: 'down' | 'up' = 'down') {
    await confirm(...to.split(', '));
    return alert(to, state);
  }

  /** Alerts addresses about a transition. Returns the delivery after its first attempt. */
  async function alert(to: string, state: 'down' | 'up' = 'down', templates: Record<string, string> = {}) {
    await world.putPolicy([{ ...channelTo(to), config: { to, ...templates } }]);
    const before = state === 'down' ? 'up' : 'down';
    const states = { check_from_state: before, check_to_state: state } as const;
    world.pass(1);
    const at = world.now();
    const key = world.keys.transition(TENANT, world.check.id, at, 1);
    const changes = { ...states, ...key, transition_id: `trn_${at}`, timestamp: iso(at) };
    const transition = await world.put(world.transition(['chn_1'], changes));
    const made = await world.put(world.alertOf(transition, ['chn_1'], { channel_type: 'email', at }));
    await createNotifier(world.ports)(streamEvent(made));
    await deliverDue();
    return (await world.delivery(made.to[0]!.delivery_id))!;
  }

  async function deliverDue() {
    for (let due = world.takeDue('delivery'); due.length > 0; due = world.takeDue('delivery'))
      for (const { body } of due) await create(world.ports)(queueEvent([body]));
  }

  /** Waits until the server, which stores mails asynchronously, has this number of mails, and returns all its mails. */
  const kept = (count: number) => eventually(() => mailbox.kept.length >= count && mailbox.kept);

  const headerOf = (data: string, name: string): string | undefined =>
    new RegExp(`^${name}:(.*(?:\r\n[ \t].*)*)`, 'mi')
      .exec(data)?.[1]
      ?.replace(/\r\n[ \t]/g, ' ')
      .trim();

  /** Returns the text of a mail without its line breaks. */
  const unwrapped = (data: string): string => data.replace(/=\r\n/g, '').replace(/=3D/g, '=').replace(/ \r\n/g, ' ');

  it('is sent over STARTTLS with credentials, as plain text and HTML', async () => {
    const delivery = await confirmAndAlert('oncall@example.com');
    expect(delivery).toMatchObject({ status: 'sent', error: '' });
    const [mail] = await kept(1);
    expect(mail).toMatchObject({ from: 'alerts@fleet.example.com', to: ['oncall@example.com'], tls: true });
    expect(headerOf(mail!.data, 'From')).toBe(FROM);
    expect(headerOf(mail!.data, 'Subject')).toBe('Shop: checkout is down');
    expect(headerOf(mail!.data, 'Content-Type')).toMatch(/^multipart\/alternative/);
    expect(headerOf(mail!.data, 'Auto-Submitted')).toBe('auto-generated');
    expect(headerOf(mail!.data, 'X-Service-Delivery')).toBe(delivery.id);
    expect(headerOf(mail!.data, 'Message-ID')).toBe(`<${delivery.id}.1@fleet.example.com>`);
    expect(mail!.data).toMatch(/text\/plain[\s\S]*status 503, expected 200[\s\S]*text\/html[\s\S]*<h1/);
  });

  it('is separate for each address, names the account, and has a link to unsubscribe', async () => {
    await confirm('oncall@example.com', 'ann@example.com');
    const templates = { title_template: 'Own title', body_template: 'Own text' };
    expect(await alert('oncall@example.com, ann@example.com', 'down', templates)).toMatchObject({ status: 'sent' });
    const mails = await kept(2);
    expect(mails.map(({ to }) => to.join()).toSorted()).toEqual(['ann@example.com', 'oncall@example.com']);
    const links = mails.map(({ data }) => headerOf(data, 'List-Unsubscribe'));
    expect(new Set(links).size).toBe(2);
    for (const { data } of mails) {
      expect(headerOf(data, 'Subject')).toBe('Own title');
      expect(headerOf(data, 'List-Unsubscribe')).toMatch(
        /^<https:\/\/status\.example\.com\/a\/unsubscribe\/[\w-]+\.[\w-]+>$/,
      );
      expect(headerOf(data, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
      expect(
        unwrapped(data).match(/Sent by the account ("|&quot;)Shop\1 of https:\/\/status.example.com\./g),
      ).toHaveLength(2);
    }
  });

  it('skips addresses that have not confirmed, and names them in the error', async () => {
    await confirm('ann@example.com');
    expect(await alert('ann@example.com, oncall@example.com')).toMatchObject({
      status: 'sent',
      error: 'not sent to all addresses: oncall@example.com is not confirmed',
    });
    const mails = await kept(2);
    expect(mails.find(({ to }) => to.includes('oncall@example.com'))?.data).toMatch(/Subject: Do you want alerts/);
  });

  it('fails without a confirmed address, and asks each address once for confirmation', async () => {
    for (const state of ['down', 'up'] as const) {
      const error = 'not sent: oncall@example.com is not confirmed; ann@example.com is not confirmed';
      expect(await alert('oncall@example.com, ann@example.com', state)).toMatchObject({
        ...{ status: 'failed', attempts: 0, error },
      });
    }
    expect((await kept(2)).map(({ to }) => to.join()).toSorted()).toEqual(['ann@example.com', 'oncall@example.com']);
    expect(await addressOf('ann@example.com')).toMatchObject({ status: 'pending', asked_at: expect.any(String) });
  });

  it('asks for confirmation without the templates of the channel, and without a link from the account name', async () => {
    await world.put({ ...world.account, name: 'You won! https://evil.example/ <b>' });
    await alert('oncall@example.com', 'down', { title_template: 'Own title', body_template: 'Own text' });
    const [mail] = await kept(1);
    expect(unwrapped(mail!.data)).toContain('alerts of the account "You won https evil example b"');
    expect(mail!.data).not.toMatch(/Own t|evil\.example/);
  });

  it('asks an address for confirmation at most three times in a row, then once a week', async () => {
    const ask = () =>
      create(world.ports)(queueEvent([{ tenant_id: TENANT, address: 'oncall@example.com', again: true }]));
    for (let n = 0; n < 5; n++) await ask();
    expect(await addressOf('oncall@example.com')).toMatchObject({ error: expect.stringMatching(/^not asked again/) });
    world.pass(7 * DAY_MS);
    for (let n = 0; n < 2; n++) await ask();
    expect(await kept(4)).toHaveLength(4);
  });

  it('records why the server rejected a request to confirm', async () => {
    await alert('missing@example.com');
    expect(await addressOf('missing@example.com')).toMatchObject({
      error: 'the mail server rejected the mail: 550 5.1.1 No such user here',
    });
  });

  it('waits when the account has reached its limit per hour; waiting alerts are sent later in one mail', async () => {
    await world.put({ ...world.account, mails_per_hour_limit: 1 });
    expect(await confirmAndAlert('oncall@example.com')).toMatchObject({ status: 'sent' });
    const waiting: DeliveryItem[] = [];
    for (const state of ['up', 'down', 'down'] as const) waiting.push(await confirmAndAlert('ann@example.com', state));
    const error = 'waits: mails of the account are limited to 1 per hour (mails_per_hour_limit)';
    expect(waiting[0]).toMatchObject({ status: 'pending', attempts: 0, error });
    for (let minutes = 0; minutes < 200; minutes++) {
      world.pass(60_000);
      await deliverDue();
    }
    const sent = await Promise.all(waiting.map(({ id }) => world.delivery(id)));
    expect(sent).toMatchObject(waiting.map(() => ({ status: 'sent', error: '', combined_in: waiting[0]!.id })));
    const mails = await kept(2);
    expect(mails).toHaveLength(2);
    expect(headerOf(mails[1]!.data, 'Subject')).toContain('3 alerts: 2 down, 1 up');
  });

  it('waits when its address has received ten mails in a minute, from all accounts together', async () => {
    await confirmAndAlert('oncall@example.com');
    const otherAccount = { id: 'acc_other', mails_per_hour_limit: 60 } as AccountItem;
    for (let n = 0; n < 9; n++) expect(await takeMails(world, otherAccount, ['OnCall@example.com'])).toBeUndefined();
    expect(await confirmAndAlert('oncall@example.com', 'up')).toMatchObject({
      status: 'pending',
      error: 'waits: oncall@example.com received 10 mails in a minute',
    });
    expect(await takeMails(world, otherAccount, ['ann@example.com'])).toBeUndefined();
  });

  it('has one thread per check', async () => {
    await confirmAndAlert('oncall@example.com');
    await confirmAndAlert('oncall@example.com', 'up');
    const [down, up] = await kept(2);
    expect(headerOf(down!.data, 'References')).toBe('<chk_pay@fleet.example.com>');
    expect(headerOf(up!.data, 'References')).toBe('<chk_pay@fleet.example.com>');
    expect(headerOf(up!.data, 'Message-ID')).not.toBe(headerOf(down!.data, 'Message-ID'));
  });

  it('is pending after a channel test until the deliverer sends it', async () => {
    const channel = channelTo('oncall@example.com');
    await confirm('oncall@example.com');
    await world.putPolicy([channel]);
    expect(await testChannel(world.context, world.check, channel)).toMatchObject({ status: 'pending' });
    await deliverTests(world);
    const [mail] = await kept(1);
    expect(headerOf(mail!.data, 'Subject')).toBe('Test alert for Shop: checkout');
  });

  it('records the error of the server about an address', async () => {
    expect(await confirmAndAlert('missing@example.com')).toMatchObject({
      status: 'retrying',
      attempts: 1,
      error: 'the mail server rejected the mail: 550 5.1.1 No such user here',
    });
  });

  it('waits without an attempt when the server requests a pause', async () => {
    expect(await confirmAndAlert('busy@example.com')).toMatchObject({
      status: 'retrying',
      attempts: 0,
      error: 'the mail server rejected the mail: 451 4.7.1 Try again later',
    });
    expect(world.sent.find(({ queue }) => queue === 'delivery')?.not_before).toBeGreaterThanOrEqual(START + 60_000);
  });

  it('records only that the server rejected the login, and never the password', async () => {
    await startWorld(urlOf('not-the-password'));
    expect(await confirmAndAlert('oncall@example.com')).toMatchObject({
      status: 'retrying',
      error:
        'the mail server rejected the login of this service; the operator of this service can find the cause in its log (SMTP_URL)',
    });
    expect(JSON.stringify(world.log)).not.toContain('not-the-password');
    expect(JSON.stringify(world.log)).not.toContain(Buffer.from('\0fleet\0not-the-password').toString('base64'));
  });

  it('sends no password to a server without a trusted certificate', async () => {
    setDefaultCACertificates(trusted);
    try {
      expect(await confirmAndAlert('oncall@example.com')).toMatchObject({
        status: 'retrying',
        error: expect.stringMatching(/^the mail server of this service could not be reached, or not with TLS;/),
      });
      expect(mailbox.kept).toEqual([]);
    } finally {
      const authority = await makeAuthority();
      setDefaultCACertificates([...trusted, authority.cert]);
    }
  });
});

describe('settings of mail', () => {
  it.each([
    ['smtp://mail.example.com', 'alerts@example.com'],
    ['smtps://user:p%40ss@mail.example.com:465', 'Fleet watch <alerts@example.com>'],
    ['smtp://[::1]:2525', 'alerts@example.com'],
  ])('accept %s with %s', (SMTP_URL, MAIL_FROM) => {
    expect(readSettings({ SMTP_URL, MAIL_FROM })).toMatchObject({ SMTP_URL, MAIL_FROM });
  });

  it.each([
    ['http://mail.example.com', 'a@example.com', 'SMTP_URL: must be smtp:// or smtps://'],
    ['mail.example.com:25', 'a@example.com', 'SMTP_URL: must be smtp:// or smtps://'],
    ['smtp://mail.example.com/?pool=true', 'a@example.com', 'SMTP_URL: must be smtp:// or smtps://'],
    ['smtp://mail.example.com', '', 'MAIL_FROM: is required with SMTP_URL'],
    ['smtp://mail.example.com', 'alerts', 'MAIL_FROM: must be an address'],
    ['smtp://mail.example.com', 'A <a@b.c>\r\nBcc: all@example.com', 'MAIL_FROM: must be an address'],
  ])('reject %s with %s', (SMTP_URL, MAIL_FROM, why) => {
    expect(() => readSettings({ SMTP_URL, MAIL_FROM })).toThrow(why);
  });
});

it('fails with the names of the missing settings if mail is not configured', async () => {
  const world = await alertWorld();
  const channel = {
    id: 'chn_1',
    channel_type: 'email',
    config: { to: 'oncall@example.com' },
    created_at: '2026-11-21T00:00:00.000Z',
  };
  await world.putPolicy([channel]);
  const { id } = await testChannel(world.context, world.check, channel);
  await deliverTests(world);
  expect(await world.delivery(id)).toMatchObject({
    status: 'failed',
    error: 'mail is not configured; the operator must set SMTP_URL and MAIL_FROM',
  });
});
