import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { transitionsOf } from '#test/support/chains.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { everything, got } from '#test/support/fleet.ts';
import { newJob, ping, pingsOf, statusAndText } from '#test/support/pings.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const resultsOf = (id: string) => everything(client, `/v1/checks/${id}/results`);

describe('the result of a ping', () => {
  it('is a success, after which the check is up', async () => {
    const job = await newJob(client);
    await ping(job);
    expect(await read(job.id)).toMatchObject({ state: 'up' });
    expect(await resultsOf(job.id)).toMatchObject([
      { success: true, status_code: 0, latency_ms: 0, error_message: '', error_kind: null, kind: 'push' },
    ]);
  });

  it('is a failure for /fail, with the last line of the body, and changes the state immediately', async () => {
    const job = await newJob(client);
    await ping(job, '/fail', { method: 'POST', body: 'dumping shop\npg_dump: error: connection refused\n\n' });
    const [result] = await resultsOf(job.id);
    const error_message = 'reported as failed: pg_dump: error: connection refused';
    expect(result).toMatchObject({ success: false, status_code: 0, error_kind: 'reported', error_message });
    const [down] = await transitionsOf(client, job.id);
    expect(down).toMatchObject({ check_to_state: 'down', error_message });
  });

  it('has the exit status as its status code; 0 is a success', async () => {
    const job = await newJob(client);
    await ping(job, '/3', { method: 'POST', body: 'pg_dump: error: connection refused' });
    await ping(job, '/7');
    await ping(job, '/0');
    // Results of one millisecond are unordered.
    const byCode = (await resultsOf(job.id)).toSorted((a, b) => a.status_code - b.status_code);
    expect(byCode).toMatchObject([
      { success: true, status_code: 0, error_message: '' },
      { success: false, status_code: 3, error_message: 'exit status 3: pg_dump: error: connection refused' },
      { success: false, status_code: 7, error_message: 'exit status 7' },
    ]);
  });

  it('quotes at most 200 characters of the last line in alerts', async () => {
    const job = await newJob(client);
    await ping(job, '/fail', { method: 'POST', body: 'x'.repeat(300) });
    const [{ error_message }] = (await resultsOf(job.id)) as [{ error_message: string }];
    expect(error_message).toBe(`reported as failed: ${'x'.repeat(199)}…`);
  });

  it('does not exist for a start; the end of the run has the duration', async () => {
    const job = await newJob(client);
    await ping(job, '/start');
    expect(await resultsOf(job.id)).toEqual([]);
    expect(await read(job.id)).toMatchObject({ state: 'unknown' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await ping(job);
    const [result] = await resultsOf(job.id);
    expect(result.latency_ms).toBeGreaterThanOrEqual(25);
    expect(result.latency_ms).toBeLessThan(30_000);
    await ping(job);
    expect((await resultsOf(job.id))[0].latency_ms).toBe(0);
    const [, ended, start] = await pingsOf(client, job.id);
    expect(ended).toMatchObject({ kind: 'success', duration_ms: result.latency_ms });
    expect(start).toMatchObject({ kind: 'start', duration_ms: null });
  });

  it('has the duration of the run with its id if two runs overlap', async () => {
    const job = await newJob(client);
    const [a, b] = [randomUUID(), randomUUID()];
    await ping(job, `/start?rid=${a}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
    await ping(job, `/start?rid=${b}`);
    await ping(job, `?rid=${a.toUpperCase()}`);
    const [{ latency_ms }] = await resultsOf(job.id);
    expect(latency_ms).toBeGreaterThanOrEqual(35);
    await ping(job, `/1?rid=${b}`);
    expect(await pingsOf(client, job.id)).toMatchObject([
      { kind: 'fail', exit_status: 1, rid: b, duration_ms: expect.any(Number) },
      { kind: 'success', exit_status: null, rid: a, duration_ms: latency_ms },
      { kind: 'start', rid: b },
      { kind: 'start', rid: a },
    ]);
    await ping(job, `?rid=${a}`);
    expect((await resultsOf(job.id))[0].latency_ms).toBe(0);
  });

  it('has the duration of the run for a heartbeat too; a pushed result keeps its own latency', async () => {
    const job = await newJob(client);
    await ping(job, '/start');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const beat = got(await client.post(`/v1/checks/${job.id}/heartbeat`), 201);
    expect(beat.latency_ms).toBeGreaterThanOrEqual(15);
    await ping(job, '/start');
    const body = { success: true, latency_ms: 5400 };
    expect(got(await client.post(`/v1/checks/${job.id}/results`, body), 201).latency_ms).toBe(5400);
    expect(got(await client.post(`/v1/checks/${job.id}/heartbeat`), 201).latency_ms).toBe(0);
  });

  it('does not exist for /log, which changes nothing', async () => {
    const job = await newJob(client);
    await ping(job, '/log', { method: 'POST', body: 'half way' });
    expect(await read(job.id)).toMatchObject({ state: 'unknown', last_result: null });
    expect(await resultsOf(job.id)).toEqual([]);
    expect(await pingsOf(client, job.id)).toMatchObject([{ kind: 'log', body_bytes: 8 }]);
  });

  it('does not exist for a disabled check, which stores the ping and changes nothing', async () => {
    const job = await newJob(client, { enabled: false });
    for (const rest of ['/start', '', '/fail', '/log']) expect(statusAndText(await ping(job, rest))).toBe('200 OK');
    expect(await read(job.id)).toMatchObject({ state: 'unknown', enabled: false });
    // Pings of one millisecond are unordered.
    const kinds = (await pingsOf(client, job.id)).map(({ kind }: { kind: string }) => kind);
    expect(kinds.toSorted()).toEqual(['fail', 'log', 'start', 'success']);
  });

  it('counts once with an Idempotency-Key, even for a start', async () => {
    const job = await newJob(client, { failure_threshold: 3 });
    const again = (rest: string, key: string) => ping(job, rest, { headers: { 'idempotency-key': key } });
    for (let i = 0; i < 3; i++) expect(statusAndText(await again('/fail', 'run-1'))).toBe('200 OK');
    for (let i = 0; i < 2; i++) expect(statusAndText(await again('/start', 'run-2'))).toBe('200 OK');
    expect(await read(job.id)).toMatchObject({ state: 'unknown', consecutive_failures: 1 });
    expect(await pingsOf(client, job.id)).toHaveLength(2);
  });

  it('does not exist for the end of a run with the Idempotency-Key of its start, which returns 409', async () => {
    const job = await newJob(client);
    const withKey = (rest: string) => ping(job, rest, { headers: { 'idempotency-key': 'run-3' } });
    expect(statusAndText(await withKey('/start'))).toBe('200 OK');
    expect(statusAndText(await withKey(''))).toBe(
      '409 This Idempotency-Key was used for a start or log entry; use a new key.',
    );
    expect(await read(job.id)).toMatchObject({ state: 'unknown', runs: [{ overrun: false }] });
  });

  it('is unchanged after a start or log entry with its Idempotency-Key, which returns 409', async () => {
    const job = await newJob(client);
    const withKey = (rest: string) => ping(job, rest, { headers: { 'idempotency-key': 'run-4' } });
    expect(statusAndText(await withKey(''))).toBe('200 OK');
    for (const rest of ['/start', '/log']) {
      expect(statusAndText(await withKey(rest))).toBe('409 This Idempotency-Key was used for a result; use a new key.');
    }
    expect(await read(job.id)).toMatchObject({ state: 'up', runs: [] });
  });

  it('is stored for each of twenty concurrent pings that end ten runs', async () => {
    const job = await newJob(client);
    const rids = Array.from({ length: 10 }, () => randomUUID());
    await Promise.all(rids.map((rid) => ping(job, `/start?rid=${rid}`)));
    const responses = await Promise.all([...rids, ...rids].map((rid) => ping(job, `?rid=${rid}`)));
    expect(new Set(responses.map(statusAndText))).toEqual(new Set(['200 OK']));
    const pings = (await pingsOf(client, job.id)) as { kind: string; rid: string; duration_ms: number | null }[];
    expect(pings.filter(({ kind }) => kind === 'success')).toHaveLength(20);
    expect(await resultsOf(job.id)).toHaveLength(20);
  });
});
