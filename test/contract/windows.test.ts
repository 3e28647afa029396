import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const WINDOWS = '/v1/windows';

let client: Client;
let receiver: WebhookReceiver;
let isWell = true;
const target = createServer((_, response) => response.writeHead(isWell ? 200 : 503).end());
beforeAll(async () => {
  client = await newTenant();
  receiver = await startReceiver({ host: '127.77.0.1' });
  await new Promise<void>((listening) => target.listen(0, '127.77.0.1', listening));
});
afterAll(async () => {
  target.close();
  await receiver.close();
});

const from = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const open = { starts_at: from(-60), ends_at: from(3600) };
const texts = (path: string): string[] =>
  receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).text);
const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5 }), 201);
const lastOf = async (id: string) => (await client.get(`/v1/checks/${id}/transitions`)).body[0];

/** Creates a check with one channel; by default, a push check that is up. */
async function upCheck(path: string, more: object = {}): Promise<string> {
  const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 60, name: 'cart', ...more });
  got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
  const channel = { channel_type: 'slack', config: { url: receiver.url + path } };
  got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
  if (!('check_type' in more)) await push(id, true);
  return id;
}
const windowOf = async (id: string): Promise<string> =>
  got(await client.post(WINDOWS, { name: 'work', ...open, scope: { check_ids: [id] } }), 201).id;

describe('a maintenance window', () => {
  it('can be created, read, changed and deleted, recurring or not', async () => {
    const respond = await keyOf(client, { scopes: ['respond'] });
    const entity = await newEntity(client);
    await newCheck(client, { entity_id: entity.id });
    const once = { name: 'Move', note: 'to the new racks', ...open, scope: { entity_ids: [entity.id] } };
    const made = got(await respond.post(WINDOWS, once), 201);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^win_/),
      ...once,
      open: true,
      current: { from: open.starts_at, to: open.ends_at },
      next: null,
      cron: null,
      notice: null,
    });
    const { notice: _said, ...record } = made;
    expect(got(await client.get(`${WINDOWS}/${made.id}`), 200)).toEqual(record);
    expect(got(await client.get(WINDOWS), 200)).toEqual([record]);
    expect(got(await respond.put(`${WINDOWS}/${made.id}`, { ...record, note: '' }), 200)).toMatchObject({ note: '' });

    const again = { name: 'Patches', cron: '30 2 * * sat', time_zone: 'Europe/Berlin', duration_seconds: 7200 };
    const recurring = got(await client.post(WINDOWS, { ...again, every_weeks: 2, scope: { all: true } }), 201);
    expect(recurring).toMatchObject({ ...again, every_weeks: 2, open: false, current: null, starts_at: null });
    expect(Date.parse(recurring.next.to) - Date.parse(recurring.next.from)).toBe(7_200_000);
    expect(got(await respond.put(`${WINDOWS}/${recurring.id}`, { until: from(90_000_000) }), 200).until).not.toBeNull();
    expect(await respond.put(`${WINDOWS}/${recurring.id}`, { until: null })).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(got(await client.put(`${WINDOWS}/${recurring.id}`, { until: null }), 200).until).toBeNull();
    for (const { id } of [made, recurring]) got(await respond.del(`${WINDOWS}/${id}`), 204);
    expect((await client.get(`${WINDOWS}/${made.id}`)).status).toBe(404);
    const { body: log } = await client.get('/v1/audit?action=window.');
    const done = ['create', 'update', 'create', 'update', 'update', 'delete', 'delete'];
    const noted = log.map(({ action }: { action: string }) => action);
    expect(noted.reverse()).toEqual(done.map((verb) => `window.${verb}`));
  });

  it.each([
    ['covers all checks', { scope: { all: true } }],
    ['lasts longer than a day', { ends_at: from(2 * 86_400) }],
  ])('needs write if it %s, when created or changed', async (extent, wide) => {
    const respond = await keyOf(client, { scopes: ['respond'] });
    const write = await keyOf(client, { scopes: ['write'] });
    const { id } = await newCheck(client);
    const narrow = { name: 'Move', ...open, scope: { check_ids: [id] } };
    const error = `It ${extent}. This key has the scope respond; this needs write. Create a key that has it.`;
    const refused = { status: 403, body: { code: 'FORBIDDEN', error } };
    expect(await respond.post(WINDOWS, { ...narrow, ...wide })).toMatchObject(refused);
    const made = got(await respond.post(WINDOWS, narrow), 201);
    expect(await respond.put(`${WINDOWS}/${made.id}`, wide)).toMatchObject(refused);
    got(await write.put(`${WINDOWS}/${made.id}`, wide), 200);
    expect(got(await respond.put(`${WINDOWS}/${made.id}`, { note: 'later' }), 200).note).toBe('later');
    expect(got(await respond.put(`${WINDOWS}/${made.id}`, { ends_at: from(0) }), 200).open).toBe(false);
    got(await respond.del(`${WINDOWS}/${made.id}`), 204);
  });

  it('needs write if it recurs for longer than a day', async () => {
    const responder = await memberOf(client, 'responder');
    const { id } = await newCheck(client);
    const daily = { name: 'Backup', cron: '0 * * * *', duration_seconds: 3600, scope: { check_ids: [id] } };
    const refused = await responder.post(WINDOWS, daily);
    expect(refused).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(refused.body.error).toBe('It lasts longer than a day. This needs the member role; you are a responder.');
    const start = new Date(from(3600));
    const cron = `${start.getUTCMinutes()} ${start.getUTCHours()} ${start.getUTCDate()} * *`;
    const long = { ...daily, cron, duration_seconds: 2 * 86_400, until: from(7200) };
    expect(await responder.post(WINDOWS, long)).toMatchObject(failure(403, 'FORBIDDEN'));
    const made = got(await responder.post(WINDOWS, { ...daily, until: from(80_000) }), 201);
    expect(await responder.put(`${WINDOWS}/${made.id}`, { until: from(2 * 86_400) })).toMatchObject(
      failure(403, 'FORBIDDEN'),
    );
    got(await responder.del(`${WINDOWS}/${made.id}`), 204);
  });

  it('holds alerts for failures in it, and sends them when it is over and the check has failed again', async () => {
    const id = await upCheck('/held');
    const window = await windowOf(id);
    await push(id, false);
    expect((await lastOf(id)).alert).toMatchObject({
      decision: 'held',
      reason: 'maintenance',
      deliveries: [],
      attributed_to: { window_id: window, next_evaluation_at: expect.any(String) },
      facts: { window_id: window, window_until: open.ends_at },
    });
    got(await client.del(`${WINDOWS}/${window}`), 204);
    await push(id, false);
    await eventually(() => texts('/held').length === 1, 15_000);
    expect(texts('/held')[0]).toMatch(/cart is down/);
    const { alert } = await lastOf(id);
    expect(alert).toMatchObject({ decision: 'planned', reason: null, deliveries: [expect.stringMatching(/^dlv_/)] });
    await push(id, true);
    await eventually(() => texts('/held').length === 2);
  }, 30_000);

  it('sends no alert for a check that is up at its end, neither of the failure nor of the recovery', async () => {
    const id = await upCheck('/nothing');
    const window = await windowOf(id);
    await push(id, false);
    await push(id, true);
    const { body: transitions } = await client.get(`/v1/checks/${id}/transitions`);
    expect(transitions.slice(0, 2).map(({ alert }: { alert: object }) => alert)).toMatchObject([
      { decision: 'skipped', reason: 'maintenance' },
      { decision: 'skipped', reason: 'maintenance' },
    ]);
    got(await client.del(`${WINDOWS}/${window}`), 204);
    await push(id, false);
    await eventually(() => texts('/nothing').length === 1);
    expect(texts('/nothing')).toEqual([expect.stringMatching(/cart is down/)]);
  });

  it('lets the recovery of an earlier failure through', async () => {
    const id = await upCheck('/before');
    await push(id, false);
    await eventually(() => texts('/before').length === 1);
    const window = await windowOf(id);
    await push(id, true);
    await eventually(() => texts('/before').length === 2);
    expect(texts('/before')[1]).toMatch(/is up again/);
    got(await client.del(`${WINDOWS}/${window}`), 204);
  });

  it('rechecks the held alert of a probed check at the first probe after the window', async () => {
    isWell = true;
    const { port } = target.address() as AddressInfo;
    const probed = { check_type: 'http', target_url: `http://127.77.0.1:${port}/`, interval_seconds: 1 };
    const id = await upCheck('/probed', probed);
    await eventually(async () => (await client.get(`/v1/checks/${id}`)).body.state === 'up');
    const window = await windowOf(id);
    isWell = false;
    await eventually(async () => (await lastOf(id)).alert.decision === 'held');
    const ended = Date.now();
    got(await client.put(`${WINDOWS}/${window}`, { ends_at: new Date(ended).toISOString() }), 200);
    await eventually(() => texts('/probed').length === 1, 15_000);
    expect((await lastOf(id)).alert.decision).toBe('planned');
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
  }, 30_000);

  it('keeps include_dependents in its scope until the scope is changed', async () => {
    const scope = { blueprint_slug: 'service', include_dependents: true };
    const { id, ...made } = got(await client.post(WINDOWS, { name: 'x', ...open, scope }), 201);
    expect(made.scope).toEqual(scope);
    expect(got(await client.put(`${WINDOWS}/${id}`, { note: 'later' }), 200).scope).toEqual(scope);
    const whole = { all: true, include_dependents: true };
    expect(got(await client.put(`${WINDOWS}/${id}`, { scope: whole }), 200).scope).toEqual(whole);
    const { include_dependents: _gone, ...narrow } = scope;
    expect(got(await client.put(`${WINDOWS}/${id}`, { scope: narrow }), 200).scope).toEqual(narrow);
    got(await client.del(`${WINDOWS}/${id}`), 204);
  });

  it('has a notice if no check matches its scope yet', async () => {
    const window = got(await client.post(WINDOWS, { name: 'x', ...open, scope: { blueprint_slug: 'later' } }), 201);
    expect(window.notice).toMatch(/^No check matches/);
    got(await client.del(`${WINDOWS}/${window.id}`), 204);
  });

  it.each([
    ['no scope', { scope: undefined }, 'scope'],
    ['an empty scope', { scope: {} }, 'scope'],
    ['all and another selector', { scope: { all: true, blueprint_slug: 'x' } }, 'scope'],
    ['only include_dependents as scope', { scope: { include_dependents: true } }, 'scope'],
    ['no length', { ends_at: open.starts_at }, 'ends_at'],
    ['less than a minute', { starts_at: from(0), ends_at: from(59) }, 'ends_at'],
    ['more than 31 days', { starts_at: from(0), ends_at: from(31 * 86_400 + 60) }, 'ends_at'],
    ['an end more than 30 days ago', { starts_at: from(-31 * 86_400), ends_at: from(-30 * 86_400 - 60) }, 'ends_at'],
    ['no times', { starts_at: undefined, ends_at: undefined }, 'starts_at'],
    ['times and a cron', { cron: '0 2 * * *', duration_seconds: 3600 }, 'starts_at'],
  ])('is rejected with %s', async (_what, wrong, path) => {
    const body = { name: 'x', scope: { all: true }, ...open, ...wrong };
    expect(await client.post(WINDOWS, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it.each([
    ['no duration', { duration_seconds: undefined }, 'duration_seconds'],
    ['a duration under a minute', { duration_seconds: 59 }, 'duration_seconds'],
    ['a duration of 32 days', { duration_seconds: 32 * 86_400 }, 'duration_seconds'],
    ['occurrences that overlap', { cron: '*/5 * * * *', duration_seconds: 301 }, 'duration_seconds'],
    ['an invalid time zone', { time_zone: 'Europe/Bärlin' }, 'time_zone'],
    ['an invalid cron', { cron: '0 25 * * *' }, 'cron'],
    ['a sixth Saturday', { cron: '0 2 * * sat#6' }, 'cron'],
    ['a day that does not exist', { cron: '0 2 31 2 *' }, 'cron'],
    ['an end before its start', { from: from(3600), until: from(60) }, 'until'],
    ['0 weeks', { every_weeks: 0 }, 'every_weeks'],
  ])('is rejected as a recurring window with %s', async (_what, wrong, path) => {
    const again = { name: 'x', scope: { all: true }, cron: '30 2 * * sat', duration_seconds: 7200, ...wrong };
    expect(await client.post(WINDOWS, again)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});
