import { beforeAll, describe, expect, it } from 'vitest';
import { transitionsOf } from '#test/support/chains.ts';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const SLOW = { success: true, warning_message: 'took 912 ms' };
const OK = { success: true };
const FAILS = { success: false, error_message: 'tape full' };

const push = async (id: string, body: object) =>
  got(await client.post(`/v1/checks/${id}/results`, { latency_ms: 1, ...body }), 201);
const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);

describe('a result with a warning', () => {
  it('is a success and has its warning', async () => {
    const { id } = await newCheck(client);
    const result = await push(id, SLOW);
    expect(result).toMatchObject({
      outcome: 'warn',
      success: true,
      warning_message: 'took 912 ms',
      error_message: '',
    });
    expect(await push(id, OK)).toMatchObject({ outcome: 'ok', warning_message: '' });
    expect(await push(id, { ...FAILS, warning_message: 'and slow' })).toMatchObject({
      outcome: 'fail',
      success: false,
      error_message: 'tape full',
      warning_message: 'and slow',
    });
    const results = await everything(client, `/v1/checks/${id}/results`);
    expect(results.map(({ outcome }) => outcome)).toEqual(['fail', 'ok', 'warn']);
    expect((await read(id)).last_result).toMatchObject({ outcome: 'fail', warning_message: 'and slow' });
  });

  it('keeps its text verbatim, up to 1,000 characters', async () => {
    const { id } = await newCheck(client);
    const said = 'between {latency_ms} and "it"';
    expect(await push(id, { ...OK, warning_message: said })).toMatchObject({ warning_message: said });
    expect((await push(id, { ...OK, warning_message: 'x'.repeat(1200) })).warning_message).toHaveLength(1000);
    const wrong = await client.post(`/v1/checks/${id}/results`, { ...OK, latency_ms: 1, warning_message: 7 });
    expect(wrong).toMatchObject(failure(400, 'VALIDATION_ERROR', 'warning_message'));
  });

  it('counts in the history as a success with a warning, and as available time', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    for (const body of [SLOW, SLOW, OK]) await push(id, body);
    const { total } = got(await client.get(`/v1/checks/${id}/history?bucket=hour`), 200);
    expect(total).toMatchObject({ runs: 3, failures: 0, warnings: 2, uptime: 1, success_ratio: 1 });
    const spark = got(await client.get(`/v1/checks/${id}/sparkline?points=1`), 200);
    expect(spark).toMatchObject({ uptime_ratio: 1, points: [{ successes: 3, failures: 0 }] });
  });
});

describe('a check', () => {
  it('becomes degraded after failure_threshold consecutive warnings and failures, with the warning as reason', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 3 });
    const seen = [];
    for (const body of [OK, SLOW, FAILS, SLOW, SLOW, OK]) {
      await push(id, body);
      const { state, consecutive_failures, consecutive_warnings } = await read(id);
      seen.push(`${state} ${consecutive_failures} ${consecutive_warnings}`);
    }
    expect(seen).toEqual(['up 0 0', 'up 0 1', 'up 1 2', 'degraded 0 3', 'degraded 0 3', 'up 0 0']);
    const changes = await transitionsOf(client, id);
    expect(changes.map((one) => `${one.check_to_state} ${one.to_state}: ${one.error_message}`)).toEqual([
      'up up: ',
      'degraded degraded: took 912 ms',
      'up up: ',
    ]);
    const shown = got(await client.get(`/v1/blueprints/service/entities/${entity.slug}`), 200);
    expect(shown.state).toBe('up');
  });

  it('leaves down after recovery_threshold consecutive successes: for degraded if some had warnings, else for up', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1, recovery_threshold: 2 });
    const seen = [];
    for (const body of [FAILS, OK, FAILS, OK, OK, FAILS, SLOW, OK, OK]) {
      await push(id, body);
      const { state, consecutive_failures, consecutive_successes } = await read(id);
      seen.push(`${state} ${consecutive_failures} ${consecutive_successes}`);
    }
    expect(seen).toEqual([
      ...['down 1 0', 'down 1 1', 'down 1 0', 'down 1 1', 'up 0 2'],
      ...['down 1 0', 'down 1 1', 'degraded 0 1', 'up 0 2'],
    ]);
  });

  it('accepts a recovery_threshold of 1 to 100, 1 by default', async () => {
    const { id } = await newCheck(client);
    expect(await read(id)).toMatchObject({ recovery_threshold: 1, flapping_since: null });
    expect(got(await client.put(`/v1/checks/${id}`, { recovery_threshold: 100 }), 200)).toMatchObject({
      recovery_threshold: 100,
    });
    for (const recovery_threshold of [0, 101, 1.5]) {
      expect(await client.put(`/v1/checks/${id}`, { recovery_threshold })).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'recovery_threshold'),
      );
    }
  });
});

describe('the policy', () => {
  it('has settings for degraded and flapping, with defaults and limits', async () => {
    const path = `/v1/checks/${(await newCheck(client)).id}/policy`;
    expect(got(await client.get(path), 200)).toMatchObject({
      notify_on_degraded: true,
      flap_threshold: 0,
      flap_window_seconds: 3600,
    });
    const wanted = { notify_on_degraded: false, flap_threshold: 3, flap_window_seconds: 60 };
    expect(got(await client.post(path, wanted), 200)).toMatchObject(wanted);
    const off = { flap_threshold: 0, flap_window_seconds: 86_400 };
    expect(got(await client.post(path, off), 200)).toMatchObject({ ...wanted, ...off });
    for (const wrong of [
      { notify_on_degraded: 'no' },
      { flap_threshold: 2 },
      { flap_threshold: 21 },
      { flap_threshold: -1 },
      { flap_window_seconds: 59 },
      { flap_window_seconds: 86_401 },
    ]) {
      const [member] = Object.keys(wrong);
      expect(await client.post(path, wrong)).toMatchObject(failure(400, 'VALIDATION_ERROR', member));
    }
  });

  it('skips alerts on degraded if they are disabled, with the reason in the transition', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    got(await client.post(`/v1/checks/${id}/policy`, { notify_on_degraded: false, cooldown_seconds: 0 }), 200);
    for (const body of [OK, SLOW, FAILS, SLOW, OK]) await push(id, body);
    const changes = await transitionsOf(client, id);
    const reasonOf = (one: { alert: object }) => (one.alert as { reason: string | null }).reason;
    expect(changes.map((one) => `${one.check_to_state} ${reasonOf(one)}`)).toEqual([
      'up initial',
      'degraded degraded_disabled',
      'down no_channels',
      'degraded no_channels',
      'up degraded_disabled',
    ]);
  });
});
