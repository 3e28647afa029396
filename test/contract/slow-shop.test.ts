import { rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectV1, transportsV1 } from '#test/mcp-clients/typescript.ts';
import { catalogOps, otherTools } from '#test/support/catalog-ops.ts';
import { type Authority, makeAuthority } from '#test/support/certificates.ts';
import { transitionsOf } from '#test/support/chains.ts';
import type { Client } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newAction, newCheck, newEntity } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { httpsTarget } from '#test/support/tls-server.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';

/**
 * Tests a slow shop from outside: `npm start` in its own process, a shop with TLS, a chat, and an agent with the MCP
 * SDK.
 */

const INTERVAL_SECONDS = 2;
/** Delay of a slow response (ms). */
const SLOW_MS = 1_200;
/** Latency from which the check warns (ms): a second, so that a fast response of a busy machine is below it. */
const WARNS_FROM_MS = 1_000;
const PATIENCE_MS = 30_000;

/** Assertions on the shop, which only warn. */
const WANTED = [
  { source: 'latency_ms', operator: 'less_than', value: WARNS_FROM_MS, severity: 'warn' },
  { source: 'days_left', operator: 'at_least', value: 21, severity: 'warn' },
];
const EXPIRES = /^certificate expires on \d{4}-\d\d-\d\d, in 20 days; at least 21 are required: renew it$/;

/** Behavior of the shop: status, delay of responses (ms), and days until its certificate expires. */
type Behavior = { status: number; takes: number; days: 20 | 90 };

/** Starts a shop that responds well until it is changed. A POST to it renews its certificate. */
async function openShop(authority: Authority) {
  const lasting = (days: number) =>
    authority.issue({ names: ['127.77.0.1'], to: new Date(Date.now() + (days + 0.5) * 86_400_000) });
  const certificates = { 20: await lasting(20), 90: await lasting(90) };
  let server!: Server;
  let now: Behavior = { status: 200, takes: 0, days: 90 };
  const becomes = (next: Partial<Behavior>) => {
    now = { ...now, ...next };
    server.setSecureContext(certificates[now.days]);
  };
  const target = await httpsTarget(
    certificates[now.days],
    ({ method }, response) => {
      if (method === 'POST') becomes({ days: 90 });
      setTimeout(() => response.writeHead(now.status).end(), now.takes);
    },
    '127.77.0.1',
    (made) => {
      server = made as Server;
    },
  );
  return Object.assign(target, { becomes });
}

/** Creates a check of the shop with its own entity, and a chat that is notified. */
async function watched(client: Client, target_url: string, policy: object = {}) {
  const entity = await newEntity(client);
  const { id }: { id: string } = await newCheck(client, {
    ...{ entity_id: entity.id, check_type: 'http', name: 'checkout', target_url, config: { assertions: WANTED } },
    ...{ interval_seconds: INTERVAL_SECONDS, failure_threshold: 3 },
  });
  const chat = await startReceiver();
  const change = async (more: object) => got(await client.post(`/v1/checks/${id}/policy`, more), 200);
  // No cooldown ends by itself during the test.
  await change({ cooldown_seconds: 3600, ...policy });
  const slack = { channel_type: 'slack', config: { url: chat.url } };
  got(await client.post(`/v1/checks/${id}/policy/channels`, slack), 201);
  const read = async () => got(await client.get(`/v1/checks/${id}`), 200);
  /** Returns the messages in the chat, such as `:red_circle: checkout is down`. */
  const messages = (): string[] =>
    chat.received.map(({ body }) =>
      JSON.parse(body)
        .text.replace(`${entity.name}: `, '')
        .replace(/\d+ s\b/, '… s'),
    );
  return {
    id,
    entity,
    change,
    messages,
    /** Returns the reason in the latest message. */
    why: (): string => /\*Why\*\\n([^"]*)/.exec(chat.received.at(-1)!.body)?.[1] ?? '',
    hasMessages: (count: number) => eventually(() => messages().length >= count, PATIENCE_MS),
    isWell: () => eventually(async () => (await read()).last_result?.outcome === 'ok', PATIENCE_MS),
    is: (state: string) => eventually(async () => (await read()).state === state, PATIENCE_MS),
    /** Returns the results, oldest first. */
    results: async () => (await everything(client, `/v1/checks/${id}/results`)).reverse(),
    /** Returns the states of check and entity after each change, with `notified` or the reason for no alert. */
    changes: async () =>
      (await transitionsOf(client, id)).map(({ check_to_state, to_state, alert }) => {
        const { reason } = alert as { reason?: string };
        return `${check_to_state} ${to_state} ${reason ?? 'notified'}`;
      }),
    close: chat.close,
  };
}

/** Starts an agent that can read, run checks, and renew certificates. */
async function agentOf({ client, url }: { client: Client; url: string }, shop: string) {
  const action_id = await newAction(client, { name: 'Renew the certificate', url: shop });
  const what = { name: 'renew_certificate', description: 'Renews the certificate of the shop' };
  const renew = { ...what, inputSchema: { type: 'object' }, action_id };
  got(await client.post('/v1/skills', catalogOps()), 201);
  got(await client.post('/v1/skills', otherTools()), 201);
  got(await client.post('/v1/skills', { slug: 'runbook', name: 'Runbook', tools: [renew] }), 201);
  const scoped = { label: 'agent', scopes: ['mcp', 'read', 'respond'] };
  const { key } = got(await client.post('/v1/auth/keys', scoped), 201);
  const agent = await connectV1(transportsV1.http({ url: `${url}/v1/mcp`, key }));
  return {
    // biome-ignore lint/suspicious/noExplicitAny: a test reads responses of every shape
    use: async (name: string, args: Record<string, unknown> = {}): Promise<any> => {
      const { structuredContent, isError, content } = await agent.callTool({ name, arguments: args });
      expect(isError ?? false, JSON.stringify(content)).toBe(false);
      return structuredContent;
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

it('reports a slow shop once as degraded and immediately as down, and lets an agent find the cause, fix it and see the recovery', {
  timeout: 120_000,
}, async () => {
  const authority = await makeAuthority();
  const trusted = join(tmpdir(), `fleetwatch-authority-of-shop-${process.pid}.pem`);
  writeFileSync(trusted, authority.cert);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(trusted));
  const shop = stack.use(await openShop(authority));
  const service = stack.use(await startRealService({ NODE_EXTRA_CA_CERTS: trusted }));
  const { client } = service;
  const loud = await watched(client, shop.url, { repeat_interval_seconds: 1 });
  stack.defer(loud.close);
  const quiet = await watched(client, shop.url, { notify_on_degraded: false });
  stack.defer(quiet.close);
  const both = [loud, quiet];
  const bothAre = (state: string) => Promise.all(both.map((one) => one.is(state)));
  const entityStates = async () =>
    got(await client.get('/v1/status'), 200).entities.map(({ state }: { state: string }) => state);
  await Promise.all(both.map((one) => one.isWell()));

  // Slow, with a certificate that expires soon: degraded by the third run, with one message and no reminder.
  shop.becomes({ takes: SLOW_MS, days: 20 });
  await bothAre('degraded');
  expect(await entityStates()).toEqual(['degraded', 'degraded']);
  await loud.hasMessages(1);
  expect(loud.why()).toMatch(/^expected latency_ms to be less than 1000, got \d{4} \(and 1 more\)$/);
  const results = await loud.results();
  const third = results[results.findLastIndex(({ outcome }) => outcome === 'ok') + 3];
  const [, degraded] = await transitionsOf(client, loud.id);
  expect(third).toMatchObject({ outcome: 'warn', days_left: 20, warning_message: degraded!.error_message });
  await eventually(async () => (await loud.results()).length >= results.length + 1, PATIENCE_MS);
  expect(loud.messages()).toEqual([':large_yellow_circle: checkout is degraded']);
  await loud.change({ repeat_interval_seconds: 0 });

  // Down during the cooldown after that message: reported immediately.
  shop.becomes({ status: 503 });
  await bothAre('down');
  await Promise.all([loud.hasMessages(2), quiet.hasMessages(1)]);

  // Fast again, while the certificate still expires soon.
  shop.becomes({ status: 200, takes: 0 });
  await bothAre('degraded');
  for (const one of both) await one.change({ cooldown_seconds: 0 });
  await Promise.all([loud.hasMessages(3), quiet.hasMessages(2)]);
  expect(loud.why()).toMatch(EXPIRES);

  const agent = stack.use(await agentOf(service, shop.url));
  const check_id = loud.id;
  // From this point, the check runs only when the agent requests it.
  got(await client.put(`/v1/checks/${check_id}`, { interval_seconds: 86_400 }), 200);
  const { slug } = loud.entity;
  expect(await agent.use('get_status_summary')).toMatchObject({ degraded: 2, up: 0, down: 0 });
  expect(await agent.use('get_entity', { blueprint_slug: 'service', entity_slug: slug })).toMatchObject({
    state: 'degraded',
    checks: [{ id: check_id, state: 'degraded' }],
  });
  expect((await agent.use('get_check_results', { check_id })).results[0]).toMatchObject({
    outcome: 'warn',
    days_left: 20,
    warning_message: expect.stringMatching(EXPIRES),
  });
  expect(await agent.use('renew_certificate')).toMatchObject({ dispatch_status: 'success' });
  // A process whose event loop stalled records nothing, and its response asks to run the check again.
  const run = await eventually(() => agent.use('run_check', { check_id }));
  expect(run).toMatchObject({ kind: 'manual', outcome: 'ok', days_left: 90, check_state: 'up' });
  await bothAre('up');
  expect(await agent.use('get_status_summary')).toMatchObject({ degraded: 0, up: 2, down: 0 });

  await loud.hasMessages(4);
  expect(loud.messages()).toEqual([
    ':large_yellow_circle: checkout is degraded',
    ':red_circle: checkout is down',
    ':large_yellow_circle: checkout has been degraded for … s',
    ':large_green_circle: checkout is up again after … s degraded',
  ]);
  expect(await loud.changes()).toEqual([
    'up up initial',
    'degraded degraded notified',
    'down down notified',
    'degraded degraded cooldown',
    'up up notified',
  ]);
  expect(quiet.messages()).toEqual([
    ':red_circle: checkout is down',
    ':large_green_circle: checkout is up again after … s',
  ]);
  expect(await quiet.changes()).toEqual([
    'up up initial',
    'degraded degraded degraded_disabled',
    'down down notified',
    'degraded degraded cooldown',
    'up up degraded_disabled',
  ]);
});
