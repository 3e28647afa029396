import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { everything, got } from '#test/support/fleet.ts';
import { newJob, ping } from '#test/support/pings.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const jobWith = (...assertions: object[]) => newJob(client, { config: { assertions } });
const withBody = (body: string) => ({ method: 'POST', body });
const newest = async ({ id }: { id: string }) => (await everything(client, `/v1/checks/${id}/results`))[0];

const lacksError = { source: 'body', operator: 'not_contains', value: 'ERROR' };

describe('assertions of a push check', () => {
  it('turn a success into a failure if the body of its ping fails them; a missing body is empty', async () => {
    const job = await jobWith(lacksError);
    await ping(job, '', withBody('all is well'));
    expect(await newest(job)).toMatchObject({ success: true, error_kind: null });
    await ping(job, '', withBody('ERROR 12: disk full'));
    expect(await newest(job)).toMatchObject({
      success: false,
      error_kind: 'body',
      error_message: 'expected body not to contain "ERROR" (searched 19 bytes)',
    });
    expect(got(await client.get(`/v1/checks/${job.id}`), 200)).toMatchObject({ state: 'down' });
    await ping(job);
    expect(got(await client.get(`/v1/checks/${job.id}`), 200)).toMatchObject({ state: 'up' });
  });

  it('evaluate the duration of a job run if its start is known', async () => {
    const long = { source: 'latency_ms', operator: 'at_least', value: 60_000 };
    const job = await jobWith(long);
    await ping(job);
    expect(await newest(job)).toMatchObject({ success: true });
    await ping(job, '/start');
    await new Promise((resolve) => setTimeout(resolve, 30));
    await ping(job);
    const found = await newest(job);
    expect(found).toMatchObject({
      success: false,
      error_kind: 'latency',
      error_message: `expected latency_ms to be at least 60000, got ${found.latency_ms}`,
    });
  });

  it('leave a failure unchanged and do not evaluate a result sent with a key', async () => {
    const job = await jobWith(lacksError, { source: 'body', operator: 'contains', value: 'done', severity: 'warn' });
    await ping(job, '/fail', withBody('ERROR'));
    expect(await newest(job)).toMatchObject({ error_kind: 'reported', error_message: 'reported as failed: ERROR' });
    got(await client.post(`/v1/checks/${job.id}/heartbeat`), 201);
    expect(await newest(job)).toMatchObject({ outcome: 'ok', warning_message: '' });
    await ping(job, '', withBody('not yet'));
    expect(await newest(job)).toMatchObject({
      outcome: 'warn',
      success: true,
      warning_message: 'expected body to contain "done" (searched 7 bytes)',
    });
  });
});
