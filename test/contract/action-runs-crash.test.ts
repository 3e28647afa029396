import { expect, it } from 'vitest';
import type { ApiResponse, Client } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';

/** An execution is abandoned 15 s after its time-out. */
const GIVEN_UP_WITHIN_MS = 40_000;

it('ends an execution that a kill -9 cuts off as interrupted and never sends it again', {
  timeout: 90_000,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const ci = await startReceiver({ host: '127.77.0.3' });
  stack.defer(ci.close);
  ci.behave('hang');
  const service = stack.use(await startRealService());
  const { client } = service;
  const { id: check_id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
  const action = { name: 'Deploy', body_template: '{{execution_id}}', timeout_ms: 5_000 };
  const fired = got(
    await client.post('/v1/actions', { ...action, url: `${ci.url}/fired`, trigger_type: 'state_change', check_id }),
    201,
  );
  const manual = got(
    await client.post('/v1/actions', { ...action, url: `${ci.url}/hand`, trigger_type: 'manual' }),
    201,
  );

  got(await client.post(`/v1/checks/${check_id}/results`, { success: false, latency_ms: 1 }), 201);
  // The connection breaks when the process dies: the request was not acknowledged.
  const cut = client.post(`/v1/actions/${manual.id}/run`).catch(() => undefined);
  await eventually(() => ci.received.length === 2);
  await service.kill();
  await cut;
  await service.start();

  for (const { id } of [fired, manual]) {
    const pending = await onlyRun(client, id);
    expect(pending).toMatchObject({ dispatch_status: 'pending', finished_at: null });
  }
  const ended = await eventually(async () => {
    const runs = await Promise.all([fired, manual].map(({ id }) => onlyRun(client, id)));
    return runs.every((run) => run.finished_at !== null) && runs;
  }, GIVEN_UP_WITHIN_MS);
  for (const run of ended) {
    expect(run).toMatchObject({
      dispatch_status: 'failed',
      status_code: 0,
      error_message: 'interrupted: may have been sent',
    });
  }
  expect(ci.received.map((request) => request.body).sort()).toEqual(ended.map((run) => run.id).sort());
});

async function onlyRun(client: Client, action: string): Promise<ApiResponse['body']> {
  const runs = got(await client.get(`/v1/actions/${action}/executions`), 200);
  expect(runs).toHaveLength(1);
  return runs[0];
}
