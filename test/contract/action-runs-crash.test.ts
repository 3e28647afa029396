import { expect, it } from 'vitest';
import type { ApiResponse, Client } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';

/** Maximum wait: a pending execution counts as interrupted 20 s after its timeout of 5 s. */
const INTERRUPTED_WITHIN_MS = 40_000;

it('records an execution as interrupted after a kill -9, and never sends it again', {
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
  // The process dies before it responds, so the connection breaks.
  const cut = client.post(`/v1/actions/${manual.id}/run`).catch(() => undefined);
  await eventually(() => ci.received.length === 2);
  await service.kill();
  await cut;
  await service.start();

  for (const { id } of [fired, manual]) {
    const pending = await onlyExecution(client, id);
    expect(pending).toMatchObject({ dispatch_status: 'pending', finished_at: null });
  }
  const ended = await eventually(async () => {
    const executions = await Promise.all([fired, manual].map(({ id }) => onlyExecution(client, id)));
    return executions.every((execution) => execution.finished_at !== null) && executions;
  }, INTERRUPTED_WITHIN_MS);
  for (const execution of ended) {
    expect(execution).toMatchObject({
      dispatch_status: 'failed',
      status_code: 0,
      error_message: 'interrupted: may have been sent',
    });
  }
  expect(ci.received.map((request) => request.body).sort()).toEqual(ended.map((execution) => execution.id).sort());
});

async function onlyExecution(client: Client, action: string): Promise<ApiResponse['body']> {
  const executions = got(await client.get(`/v1/actions/${action}/executions`), 200);
  expect(executions).toHaveLength(1);
  return executions[0];
}
