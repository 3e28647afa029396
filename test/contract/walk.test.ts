import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectWholeChains } from '#test/oracle/whole-chains.ts';
import { makeAuthority } from '#test/support/certificates.ts';
import { transitionsOf } from '#test/support/chains.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { type Received, signatureOf, startReceiver } from '#test/support/webhook-receiver.ts';

/**
 * Tests one failure and its recovery from outside and in real time: `npm start` in its own process, a target, an HTTPS
 * receiver with a certificate of a private authority, and a chat.
 */

const INTERVAL_MS = 4_000;
/** Tolerance between a slot and its probe on a busy machine (ms). */
const ON_TIME_MS = 1000;
const ALERT_WITHIN_MS = 2000;
const SECRET = 'letmesign';

it('notifies a webhook (signed) and a chat: of down at the second failed slot, of up at the next success', {
  timeout: 100_000,
}, async () => {
  const authority = await makeAuthority();
  const trusted = join(tmpdir(), `fleetwatch-authority-${process.pid}.pem`);
  writeFileSync(trusted, authority.cert);
  const hook = await startReceiver({ tls: await authority.issue({ names: ['127.0.0.1'] }) });
  const chat = await startReceiver();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(trusted));
  stack.defer(hook.close);
  stack.defer(chat.close);

  let status = 200;
  const probes: { at: number; status: number }[] = [];
  const shop = stack.use(
    await httpTarget((_request, response) => {
      probes.push({ at: Date.now(), status });
      response.writeHead(status).end();
    }),
  );
  const { client } = stack.use(await startRealService({ NODE_EXTRA_CA_CERTS: trusted }));

  const entity = await newEntity(client);
  const { id } = await newCheck(client, {
    entity_id: entity.id,
    check_type: 'http',
    name: 'front page',
    target_url: shop.url,
    interval_seconds: INTERVAL_MS / 1000,
    failure_threshold: 2,
  });
  got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
  for (const channel of [
    { channel_type: 'webhook', config: { url: `${hook.url}/fleet`, secret: SECRET } },
    { channel_type: 'slack', config: { url: `${chat.url}/services/T0/B0/abc` } },
  ]) {
    got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
  }

  // The first probe is immediate; the second comes with a slot and shows the time of the slots.
  await eventually(() => probes.length >= 1);
  await eventually(() => probes.length >= 2, INTERVAL_MS + 2 * ON_TIME_MS);
  const first = probes[1]!.at;
  const slot = (n: number) => first + n * INTERVAL_MS;
  expect(hook.received).toEqual([]);

  status = 503;
  await eventually(() => hook.received.length > 0 && chat.received.length > 0, 3 * INTERVAL_MS);
  status = 200;
  await eventually(() => hook.received.length > 1 && chat.received.length > 1, 2 * INTERVAL_MS);

  // Each slot was probed once, with the state of the target at that time.
  expect(probes.slice(1).map((probe) => probe.status)).toEqual([200, 503, 503, 200]);
  for (const [n, probe] of probes.slice(1).entries()) {
    expect(Math.abs(probe.at - slot(n))).toBeLessThan(ON_TIME_MS);
  }
  for (const { received } of [hook, chat]) {
    expect(received).toHaveLength(2);
    expectSoonAfter(received[0]!, slot(2));
    expectSoonAfter(received[1]!, slot(3));
  }

  const [initial, down, up] = await transitionsOf(client, id);
  expect([initial, down, up]).toMatchObject([
    { from_state: 'unknown', to_state: 'up', alert: { decision: 'skipped', reason: 'initial' } },
    { from_state: 'up', to_state: 'down', cause: 'result', alert: { decision: 'planned', reason: null } },
    { from_state: 'down', to_state: 'up', cause: 'result', alert: { decision: 'planned', reason: null } },
  ]);
  expect(down!.error_message).toContain('503');

  for (const [i, transition] of [down!, up!].entries()) {
    const { headers, body } = hook.received[i]!;
    expect(headers['x-service-signature']).toBe(await signatureOf(body, SECRET));
    expect(headers['x-service-kind']).toBe('state_change');
    expect(transition.alert.deliveries).toContain(headers['x-service-delivery']);
    expect(transition.alert.deliveries).toContain(chat.received[i]!.headers['x-service-delivery']);
    expect(headers['x-service-signature-v1']).toBe(
      (await signatureOf(`${headers['x-service-timestamp']}.${body}`, SECRET)).replace('sha256=', 'v1='),
    );
    expect(Math.abs(Date.now() / 1000 - Number(headers['x-service-timestamp']))).toBeLessThan(60);
    expect(JSON.parse(body)).toMatchObject({
      kind: 'state_change',
      check: { id, name: 'front page', type: 'http', target: expect.stringMatching(/^GET http:/) },
      entity: { id: entity.id, slug: entity.slug, labels: {} },
      error_message: transition.error_message,
      entity_id: entity.id,
      entity_name: entity.name,
      check_id: id,
      tenant_id: transition.tenant_id,
      from_state: transition.from_state,
      to_state: transition.to_state,
      check_from_state: transition.check_from_state,
      check_to_state: transition.check_to_state,
      transition_id: transition.id,
      timestamp: transition.timestamp,
    });
    const { text } = JSON.parse(chat.received[i]!.body);
    expect(text).toContain(entity.name);
    expect(text).toContain('front page');
  }

  const log = await eventually(async () => {
    const deliveries = await everything(client, '/v1/notify/logs');
    return deliveries.every((delivery) => delivery.status === 'sent') && deliveries;
  });
  expect(log.map((delivery) => delivery.id).sort()).toEqual(
    [...down!.alert.deliveries, ...up!.alert.deliveries].sort(),
  );
  for (const delivery of log) expect(delivery).toMatchObject({ attempts: 1, error: '', kind: 'state_change' });
  expect(await expectWholeChains(client)).toBe(3);
});

function expectSoonAfter({ at }: Received, slot: number): void {
  expect(at).toBeGreaterThanOrEqual(slot - ON_TIME_MS);
  expect(at).toBeLessThan(slot + ALERT_WITHIN_MS);
}
