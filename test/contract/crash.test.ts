import { expect, it } from 'vitest';
import { expectWholeChains, feedOf } from '#test/support/chains.ts';
import type { Answer } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';

const ROUNDS = 3;
const AGENTS = 12;
/** Acknowledged pushes of a round after which the process is killed, while others are under way. */
const PUSHES_A_ROUND = 150;

type Acknowledged = { check: string; result: Answer['body'] };

it('through three kill -9 no acknowledged push, link of a chain or planned delivery is lost', {
  timeout: 120_000,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const receiver = await startReceiver();
  stack.defer(receiver.close);
  const service = stack.use(await startRealService());
  const { client } = service;

  // Two entities of two checks, each of which changes its state with every other push or so, and tells two channels.
  const checks: string[] = [];
  for (const entity of [await newEntity(client), await newEntity(client)]) {
    for (const _ of [1, 2]) {
      const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
      got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0, catch_up: false }), 200);
      for (const path of ['steady', 'moody']) {
        const config = { url: `${receiver.url}/${path}` };
        got(await client.post(`/v1/checks/${id}/policy/channels`, { channel_type: 'slack', config }), 201);
      }
      checks.push(id);
    }
  }
  // One answer in three is a refusal, so that retries are on their way when it dies.
  receiver.behave(...Array.from({ length: 100_000 }, (_, i) => ({ status: i % 3 === 0 ? 503 : 200 })));

  const acknowledged: Acknowledged[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged.push(...(await pushUntilKilled(service, checks, round)));
    await service.start();
  }

  for (const check of checks) {
    const kept = new Map(
      (await everything(client, `/v1/checks/${check}/results?limit=500`)).map((one) => [one.id, one]),
    );
    for (const { result } of acknowledged.filter((one) => one.check === check)) {
      expect(kept.get(result.id), 'an acknowledged push is kept as it was answered').toEqual(result);
    }
  }
  expect(await expectWholeChains(client)).toBeGreaterThan(ROUNDS * 10);

  const planned = (await feedOf(client)).flatMap((transition) => transition.alert.deliveries);
  expect(planned.length).toBeGreaterThan(ROUNDS * 20);
  const log = await eventually(async () => {
    const deliveries = await everything(client, '/v1/notify/logs?limit=1000');
    const over = deliveries.filter(({ status }) => status === 'sent' || status === 'failed');
    return over.length >= planned.length && over.length === deliveries.length && deliveries;
  }, 60_000);
  expect(log.map((delivery) => delivery.id).sort()).toEqual(planned.sort());
  const received = new Set(receiver.received.map((one) => one.headers['x-service-delivery']));
  const sent = log.filter((delivery) => delivery.status === 'sent');
  expect(sent.filter((delivery) => !received.has(delivery.id))).toEqual([]);
  expect(sent.length).toBeGreaterThan(planned.length / 2);
  // Three attempts, and at most one more for each time that it died with one under way.
  for (const delivery of log) expect(delivery.attempts).toBeLessThanOrEqual(3 + ROUNDS);
});

/** Agents push as fast as they can, each with keys of its own, until the process is shot in the middle of it. */
async function pushUntilKilled(service: RealService, checks: string[], round: number): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  let killed: Promise<void> | undefined;
  const agent = async (number: number) => {
    for (let n = 0; !killed; n++) {
      const check = checks[(number + n) % checks.length]!;
      const answer = await service.client
        .send('POST', `/v1/checks/${check}/results`, {
          body: {
            success: (number * 7 + n * 3 + round) % 5 < 2,
            latency_ms: n,
            error_message: `push ${n} of ${number}`,
          },
          headers: { 'idempotency-key': `${round}-${number}-${n}` },
        })
        // The connection breaks when the process dies: nothing was promised.
        .catch(() => undefined);
      if (!answer) return;
      acknowledged.push({ check, result: got(answer, 201) });
      if (acknowledged.length >= PUSHES_A_ROUND) killed ??= service.kill();
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, (_, number) => agent(number)));
  await killed;
  expect(acknowledged.length).toBeGreaterThanOrEqual(PUSHES_A_ROUND);
  return acknowledged;
}
