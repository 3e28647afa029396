import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const ROTAS = '/v1/rotas';

let client: Client;
let receiver: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  receiver = await startReceiver({ host: '127.77.0.2' });
});
afterAll(() => receiver.close());

const channel = async (name: string): Promise<string> => {
  const body = { name, channel_type: 'slack', config: { url: `${receiver.url}/${name}` } };
  return got(await client.post('/v1/notify/channels', body), 201).id;
};
const plan = (channel_id: string, more: object = {}) => ({
  name: 'Payments',
  members: ['Ada', 'Grace'].map((name) => ({ name, channel_ids: [channel_id] })),
  handover: { every: 'day', at: '09:00' },
  time_zone: 'Europe/Berlin',
  starts_on: '2026-01-05',
  ...more,
});

describe('a rota', () => {
  it('can be created, read, changed and deleted, and read with a read-only key', async () => {
    const id = await channel('crud');
    const made = got(await client.post(ROTAS, plan(id)), 201);
    expect(made).toMatchObject({ ...plan(id), overrides: [], on_call: { override: false } });
    expect(made.next.from).toBe(made.on_call.to);
    const starts_at = new Date(Date.now() - 60_000).toISOString();
    const ends_at = new Date(Date.now() + 60_000).toISOString();
    const member = made.next.member;
    const overrides = [{ starts_at, ends_at, member }];
    const changed = got(await client.put(`${ROTAS}/${made.id}`, { overrides }), 200);
    expect(changed.on_call).toMatchObject({ from: starts_at, to: ends_at, member, override: true });
    const reader = await keyOf(client, { scopes: ['read'] });
    expect(got(await reader.get(ROTAS), 200)).toHaveLength(1);
    const shifts = got(await reader.get(`${ROTAS}/${made.id}/shifts`), 200);
    expect(shifts.length).toBeGreaterThan(35);
    expect((await client.del(`${ROTAS}/${made.id}`)).status).toBe(204);
    expect((await client.get(`${ROTAS}/${made.id}`)).status).toBe(404);
  });

  it('is rejected with the path of the invalid property', async () => {
    const id = await channel('invalid');
    const day = (n: number) => `2026-12-0${n}T00:00:00Z`;
    const override = (from: number, to: number, member = 'Ada') => ({ starts_at: day(from), ends_at: day(to), member });
    const ada = { name: 'Ada', channel_ids: [id] };
    const cases: [object, string][] = [
      [{ members: [] }, 'members'],
      [{ members: [ada, ada] }, 'members.1.name'],
      [{ members: [{ name: 'Ada', channel_ids: ['ach_unknown'] }] }, 'members.0.channel_ids.0'],
      [{ handover: { every: 'day', at: '24:00' } }, 'handover.at'],
      [{ time_zone: 'Europe/Berlim' }, 'time_zone'],
      [{ starts_on: '2026-02-30' }, 'starts_on'],
      [{ starts_on: '9999-12-31' }, 'starts_on'],
      [{ overrides: [override(1, 3), override(2, 4)] }, 'overrides.1'],
      [{ overrides: [override(3, 3)] }, 'overrides.0.ends_at'],
      [{ overrides: [override(1, 2, 'Joan')] }, 'overrides.0.member'],
    ];
    for (const [more, path] of cases) {
      const answer = await client.post(ROTAS, plan(id, more));
      expect(answer.status, path).toBe(400);
      expect(JSON.stringify(answer.body), path).toContain(`"${path}"`);
    }
  });

  it('lists the shifts of at most 93 days, from a time before the year 3000', async () => {
    const { id } = got(await client.post(ROTAS, plan(await channel('range'))), 201);
    const cases = [
      ['from=9999-12-31', 'from'],
      ['from=2027-01-02&to=2027-01-01', 'to'],
      ['from=2027-01-01&to=2027-12-31', 'to'],
    ];
    for (const [query, path] of cases)
      expect((await client.get(`${ROTAS}/${id}/shifts?${query}`)).body.details[0].path, query).toBe(path);
    expect(got(await client.get(`${ROTAS}/${id}/shifts?from=2999-12-31`), 200).length).toBeGreaterThan(34);
  });

  it('is limited to 20 per account', async () => {
    const id = await channel('limit');
    const present = got(await client.get(ROTAS), 200).length;
    for (let n = present; n < 20; n++) got(await client.post(ROTAS, plan(id)), 201);
    expect(await client.post(ROTAS, plan(id))).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
  });
});

describe('the calendar of a rota', () => {
  beforeAll(async () => {
    client = await newTenant();
  });
  const DAY_MS = 86_400_000;
  const fetched = async (path: string, headers = {}) => fetch((await target()).url + path, { headers });
  /** Parses a calendar (RFC 5545) and returns the properties of each event. */
  const eventsOf = (text: string) =>
    text
      .replaceAll('\r\n ', '')
      .split('BEGIN:VEVENT\r\n')
      .slice(1)
      .map(
        (event): Record<string, string> => Object.fromEntries(event.split('\r\n').map((line) => line.split(/:(.*)/))),
      );
  const timeOf = (stamp = '') => Date.parse(stamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

  it('is served without a key, and has the shifts of sixteen weeks at the local time of the hand-over', async () => {
    const id = await channel('calendar');
    const today = new Date().toISOString().slice(0, 10);
    const override = { starts_at: `${today}T12:00:00.000Z`, ends_at: `${today}T13:00:00.000Z`, member: 'Grace' };
    const more = { name: `Ops; 1, \\${'ü'.repeat(60)}`, overrides: [override], time_zone: 'America/New_York' };
    const rota = got(await client.post(ROTAS, plan(id, more)), 201);
    const answer = await fetched(rota.calendar_path);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const text = await answer.text();
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n.*\r\nEND:VCALENDAR\r\n$/s);
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    const events = eventsOf(text);
    const [from, to] = [-28, 63].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
    const shifts = await client.get(`${ROTAS}/${rota.id}/shifts?from=${from}&to=${to}`);
    const shown = events.map(({ DTSTART, DTEND }) => [timeOf(DTSTART), timeOf(DTEND)]);
    for (const { from, to } of got(shifts, 200)) expect(shown).toContainEqual([Date.parse(from), Date.parse(to)]);
    expect(shown.at(-1)![1]).toBeGreaterThan(Date.now() + 83 * DAY_MS);
    for (const [i, [from]] of shown.entries()) if (i > 0) expect(from).toBe(shown[i - 1]![1]);
    const local = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/New_York',
      hour: '2-digit',
      minute: '2-digit',
    });
    const regular = events.filter(({ DTSTART }) => !DTSTART!.startsWith(today.replaceAll('-', '')));
    for (const { DTSTART } of regular) expect(local.format(timeOf(DTSTART))).toBe('09:00');
    const name = more.name.replace(/[\\;,]/g, '\\$&');
    expect(events.find(({ DESCRIPTION }) => DESCRIPTION === 'Override')).toMatchObject({
      DTSTART: override.starts_at.replace(/[-:]|\.000/g, ''),
      SUMMARY: `On call: Grace (${name})`,
    });
    expect(new Set(events.map(({ UID }) => UID)).size).toBe(events.length);

    const etag = answer.headers.get('etag')!;
    const again = await fetched(rota.calendar_path, { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    got(await client.put(`${ROTAS}/${rota.id}`, { overrides: [] }), 200);
    const changed = await fetched(rota.calendar_path, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    const uids = events.filter(({ DESCRIPTION }) => !DESCRIPTION).map(({ UID }) => UID);
    for (const { UID } of eventsOf(await changed.text())) expect(uids).toContain(UID);
  });

  it('has a secret address that can be replaced', async () => {
    const rota = got(await client.post(ROTAS, plan(await channel('secret'))), 201);
    const reader = await keyOf(client, { scopes: ['read'] });
    expect(got(await reader.get(`${ROTAS}/${rota.id}`), 200).calendar_path).toBe('********');
    const next = got(await client.post(`${ROTAS}/${rota.id}/rotate-calendar`), 200);
    const other = next.calendar_path.replace(/[^/]{22}(?=\/calendar)/, 'A'.repeat(22));
    for (const path of [rota.calendar_path, other, `${next.calendar_path}/x`, '/calendars/x'])
      expect((await fetched(path)).status, path).toBe(404);
    expect((await fetched(next.calendar_path)).status).toBe(200);
    expect(got(await client.get(`/v1/audit?target=${rota.id}`), 200)).toMatchObject([{ action: 'rota.rotate' }, {}]);
    expect((await client.del(`${ROTAS}/${rota.id}`)).status).toBe(204);
    expect((await fetched(next.calendar_path)).status).toBe(404);
  });
});

describe('a rota in an escalation step', () => {
  it('notifies only the person on call, at that step', async () => {
    client = await newTenant();
    const [ada, grace] = [await channel('ada'), await channel('grace')];
    const starts_at = new Date(Date.now() - 60_000).toISOString();
    const ends_at = new Date(Date.now() + 3_600_000).toISOString();
    const members = [
      { name: 'Ada', channel_ids: [ada] },
      { name: 'Grace', channel_ids: [grace] },
    ];
    const overrides = [{ starts_at, ends_at, member: 'Grace' }];
    const rota = got(await client.post(ROTAS, plan(ada, { members, overrides })), 201);
    const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 60 });
    const step = { after_seconds: 1, channel_ids: [], rota_ids: [rota.id] };
    for (const path of [`/v1/checks/${id}/policy`, '/v1/notify/policy']) {
      for (const unknown of [{ rota_ids: ['rot_unknown'] }, { rota_ids: [ada] }, { channel_ids: [rota.id] }]) {
        const send = path.startsWith('/v1/checks') ? client.post : client.put;
        const { status, body } = await send(path, { escalation: [{ ...step, ...unknown }] });
        expect([status, body.details[0].path]).toEqual([400, `escalation.0.${Object.keys(unknown)[0]}.0`]);
      }
    }
    got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0, escalation: [step] }), 200);
    const push = (success: boolean) => client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5 });
    got(await push(true), 201);
    got(await push(false), 201);
    const count = (path: string) => receiver.received.filter((one) => one.path === path).length;
    await eventually(() => expect(count('/grace')).toBe(1));
    got(await push(true), 201);
    await eventually(() => expect(count('/grace')).toBe(2));
    expect(count('/ada')).toBe(0);
  });

  it('makes the next step due immediately if the person on call has no enabled channel', async () => {
    client = await newTenant();
    const [ada, boss] = [await channel('off'), await channel('boss')];
    got(await client.put(`/v1/notify/channels/${ada}`, { enabled: false }), 200);
    const rota = got(await client.post(ROTAS, plan(ada)), 201);
    const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 60 });
    const escalation = [
      { after_seconds: 1, channel_ids: [], rota_ids: [rota.id] },
      { after_seconds: 3600, channel_ids: [boss] },
    ];
    got(await client.post(`/v1/checks/${id}/policy`, { escalation }), 200);
    got(await client.post(`/v1/checks/${id}/results`, { success: false, latency_ms: 5 }), 201);
    await eventually(() => expect(receiver.received.filter(({ path }) => path === '/boss')).toHaveLength(1));
    expect(receiver.received.filter(({ path }) => path === '/off')).toEqual([]);
    expect(got(await client.get(`/v1/checks/${id}/explain?at=${new Date().toISOString()}`), 200).sentence).toMatch(
      /Step 1 of its escalation did not reach the person on call.* Step 2 of its escalation notified 1 channel/,
    );
  });
});
