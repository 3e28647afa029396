import { beforeAll, describe, expect, it } from 'vitest';
import { transitionsOf } from '#test/support/chains.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';
import { pingPathOf, sendPing } from '#test/support/pings.ts';

const PATIENCE_MS = 40_000;

let client: Client;
let entity_id: string;
beforeAll(async () => {
  client = await newTenant();
  entity_id = (await newEntity(client)).id;
});

const NIGHTLY = { schedule: '30 2 * * *', timezone: 'Europe/Berlin' };
const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const failuresOf = async (id: string): Promise<{ error_kind: string; error_message: string; checked_at: string }[]> =>
  (await everything(client, `/v1/checks/${id}/results?limit=500`)).filter(
    ({ success }: { success: boolean }) => !success,
  );

describe('an invalid schedule', () => {
  it.each<[object, string, string]>([
    [{ schedule: '61 2 * * *' }, 'config.schedule', 'minute 61 is over 59'],
    [{ schedule: '* * * *' }, 'config.schedule', 'has 4 fields; cron has five'],
    [{ schedule: '0 30 2 * * *' }, 'config.schedule', 'has 6 fields; cron has five'],
    [{ schedule: '30 2 30 2 *' }, 'config.schedule', 'has no due time within five years'],
    [{ schedule: '@reboot' }, 'config.schedule', '@reboot is not a time'],
    [{ schedule: 'Mon..Foo 02:00' }, 'config.schedule', '"Foo" is not a day of the week'],
    [{ schedule: '*-*-* *:*:*' }, 'config.schedule', 'is due more than once a minute'],
    [{ schedule: '1:00\n2:00\n\n4:00\n5:00' }, 'config.schedule', 'line 3 is empty'],
    [{ schedule: `0 0 * * ${'1,'.repeat(146)}1` }, 'config.schedule', '300'],
    [{ schedule: '' }, 'config.schedule', 'is empty'],
    [{ schedule: ['02:00'] }, 'config.schedule', 'must be text'],
    [{ ...NIGHTLY, timezone: 'CEST' }, 'config.timezone', '"CEST" is not an IANA time zone'],
    [{ ...NIGHTLY, timezone: 'Berlin' }, 'config.timezone', 'did you mean Europe/Berlin?'],
    [{ schedule: '02:00 Berlin' }, 'config.schedule', 'did you mean Europe/Berlin?'],
    [{ timezone: 'Europe/Berlin' }, 'config.timezone', 'requires config.schedule'],
    [{ ...NIGHTLY, max_run_seconds: 0 }, 'config.max_run_seconds', '1'],
    [{ ...NIGHTLY, max_run_seconds: 2_592_001 }, 'config.max_run_seconds', '2592000'],
    [{ ...NIGHTLY, expect_first_within_seconds: 31_622_401 }, 'config.expect_first_within_seconds', '31622400'],
  ])('%j is rejected at %s: %s', async (config, path, message) => {
    const response = await client.post('/v1/checks', { check_type: 'push', entity_id, config });
    expect([response.status, response.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(response.body.details).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  it('is rejected for a probed check', async () => {
    const http = { check_type: 'http', target_url: 'http://127.77.0.1:9/', entity_id, config: NIGHTLY };
    expect((await client.post('/v1/checks', http)).status).toBe(400);
  });
});

describe('a check with a schedule', () => {
  it('has a failure threshold of 1 and the interval of its due times by default', async () => {
    const check = await newCheck(client, { config: NIGHTLY });
    expect(check).toMatchObject({ failure_threshold: 1, config: NIGHTLY });
    // One night a year is an hour longer, and one an hour shorter.
    expect([82_800, 86_400, 90_000]).toContain(check.interval_seconds);
    const other = await newCheck(client, { config: NIGHTLY, failure_threshold: 2, interval_seconds: 7 });
    expect(other).toMatchObject({ failure_threshold: 2, interval_seconds: 7 });
  });

  it('shows its expected heartbeat', async () => {
    const { id } = await newCheck(client, { config: { ...NIGHTLY, grace_seconds: 600 } });
    const before = await read(id);
    expect(before).toMatchObject({
      alerts_after_seconds: null,
      alerts_at: null,
      late: false,
      runs: [],
      waiting_for_first: true,
      stale: false,
    });
    expect(before.next_due_at).toMatch(/T0[01]:30:00\.000Z$/);
    got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
    const after = await read(id);
    expect(after).toMatchObject({ waiting_for_first: false, late: false, next_due_at: before.next_due_at });
    // A heartbeat within a minute of the due time is the expected one.
    if (Date.parse(before.next_due_at) - Date.now() > 70_000)
      expect(Date.parse(after.alerts_at)).toBe(Date.parse(before.next_due_at) + 600_000);
  });

  it('uses its new due times after a change, and keeps explicit values', async () => {
    const { id } = await newCheck(client, { interval_seconds: 300 });
    expect(await read(id)).toMatchObject({ next_due_at: null, alerts_after_seconds: 300 * 2 + 2 * 300 });
    const put = async (body: object) => got(await client.put(`/v1/checks/${id}`, body), 200);
    expect(await put({ config: { schedule: '*/10 * * * *' } })).toMatchObject({
      interval_seconds: 600,
      failure_threshold: 1,
    });
    expect(await put({ failure_threshold: 3 })).toMatchObject({ interval_seconds: 600, failure_threshold: 3 });
    expect(await put({ config: { schedule: '@hourly' } })).toMatchObject({
      interval_seconds: 3600,
      failure_threshold: 3,
    });
    expect(await put({ config: { schedule: '*/5 * * * *' }, interval_seconds: 9 })).toMatchObject({
      interval_seconds: 9,
    });
    expect(await put({ config: { schedule: null } })).toMatchObject({ interval_seconds: 9, config: {} });
    expect((await client.put(`/v1/checks/${id}`, { config: { schedule: '1 1 31 2 *' } })).status).toBe(400);
  });

  it('fails for a missed due time and names it', { timeout: 2 * PATIENCE_MS }, async () => {
    // Once a minute, a few seconds from now.
    const second = new Date(Date.now() + 6000).getUTCSeconds();
    const config = { schedule: `*:*:${second}`, grace_seconds: 2 };
    const { id } = await newCheck(client, { config, failure_threshold: 1 });
    got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
    const { next_due_at } = await read(id);
    const due = Date.parse(next_due_at);
    // The heartbeat was a few seconds early and counts as the expected one.
    expect(Date.parse((await read(id)).alerts_at)).toBe(due + 62_000);
    const unpushed = await newCheck(client, { config: { ...config, expect_first_within_seconds: 1 } });
    await eventually(async () => (await failuresOf(unpushed.id)).length >= 2, PATIENCE_MS);
    const [missed, first] = await failuresOf(unpushed.id);
    expect(first).toMatchObject({
      error_kind: 'missed_heartbeat',
      error_message: 'no heartbeat within 1 s of its creation',
    });
    const wall = new Date(due).toISOString().slice(0, 19).replace('T', ' ').replace(/:00$/, '');
    expect(missed).toMatchObject({
      error_kind: 'missed_heartbeat',
      checked_at: new Date(due + 2000).toISOString(),
      error_message: `no heartbeat for the run due ${wall} UTC (grace 2 s); none so far`,
    });
    expect(await read(unpushed.id)).toMatchObject({ state: 'down', waiting_for_first: true, alerts_at: null });
    expect(await read(id)).toMatchObject({ state: 'up' });
  });
});

it('fails a check when a started job run does not end in time', { timeout: 2 * PATIENCE_MS }, async () => {
  const { id, ping_url } = await newCheck(client, {
    failure_threshold: 1,
    config: { grace_seconds: 3600, max_run_seconds: 2 },
  });
  const ping = async (action: string) =>
    expect(await sendPing(`${pingPathOf(ping_url)}${action}`)).toMatchObject({ status: 200, text: 'OK' });
  await ping('/start');
  const open = await read(id);
  expect(open).toMatchObject({ waiting_for_first: false, runs: [{ rid: null, overrun: false }] });
  expect(Date.parse(open.alerts_at)).toBe(Date.parse(open.runs[0].started_at) + 2000);
  await eventually(async () => (await failuresOf(id)).length > 0, PATIENCE_MS);
  const wall = open.runs[0].started_at.slice(0, 19).replace('T', ' ');
  expect(await failuresOf(id)).toEqual([
    expect.objectContaining({
      kind: 'missed_heartbeat',
      error_kind: 'overrun',
      error_message: `started ${wall} but not finished within 2 s`,
    }),
  ]);
  expect(await read(id)).toMatchObject({ state: 'down', runs: [{ overrun: true }] });
  const [down] = await transitionsOf(client, id);
  expect(down).toMatchObject({ check_to_state: 'down', cause: 'missed_heartbeat' });
  await ping('');
  expect(await read(id)).toMatchObject({ state: 'up', runs: [] });
  const [end] = await everything(client, `/v1/checks/${id}/results`);
  expect(end.latency_ms).toBeGreaterThanOrEqual(2000);
});
