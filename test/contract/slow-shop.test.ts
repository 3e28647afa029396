import { rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect1, transports1 } from '#test/mcp-clients/typescript.ts';
import { byNameAlone, catalogOps } from '#test/support/catalog-ops.ts';
import { type Authority, makeAuthority } from '#test/support/certificates.ts';
import { transitionsOf } from '#test/support/chains.ts';
import type { Client } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newAction, newCheck, newEntity } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { httpsTarget } from '#test/support/tls-server.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';

/**
 * The slow shop, as its people see it: `npm start` in a process of its own, a shop with TLS, a chat, and an agent with
 * the SDK of MCP.
 */
const INTERVAL_SECONDS = 2;
/** A second lies between quick and slow: a busy machine makes neither look like the other. */
const SLOW_MS = 1_200;
const WARNS_FROM_MS = 1_000;
const PATIENCE_MS = 30_000;

/** What is wanted of the shop, and only warns. */
const WANTED = [
  { source: 'latency_ms', operator: 'less_than', value: WARNS_FROM_MS, severity: 'warn' },
  { source: 'days_left', operator: 'at_least', value: 21, severity: 'warn' },
];
const EXPIRES = /^certificate expires on \d{4}-\d\d-\d\d, in 20 days; at least 21 are wanted: renew it$/;

type Way = { status: number; takes: number; days: 20 | 90 };

/** A shop in which all is well until it is told otherwise. A POST to it renews its certificate. */
async function openShop(authority: Authority) {
  const lasting = (days: number) =>
    authority.issue({ names: ['127.77.0.1'], to: new Date(Date.now() + (days + 0.5) * 86_400_000) });
  const certificates = { 20: await lasting(20), 90: await lasting(90) };
  let server!: Server;
  let now: Way = { status: 200, takes: 0, days: 90 };
  const becomes = (next: Partial<Way>) => {
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

/** A check of the shop on an entity of its own, and a chat that is told. */
async function watched(client: Client, target_url: string, policy: object = {}) {
  const entity = await newEntity(client);
  const { id }: { id: string } = await newCheck(client, {
    ...{ entity_id: entity.id, check_type: 'http', name: 'checkout', target_url, config: { assertions: WANTED } },
    ...{ interval_seconds: INTERVAL_SECONDS, failure_threshold: 3 },
  });
  const chat = await startReceiver();
  const change = async (more: object) => got(await client.post(`/v1/checks/${id}/policy`, more), 200);
  // None of its cooldowns comes to an end by itself.
  await change({ cooldown_seconds: 3600, ...policy });
  const slack = { channel_type: 'slack', config: { url: chat.url } };
  got(await client.post(`/v1/checks/${id}/policy/channels`, slack), 201);
  const read = async () => got(await client.get(`/v1/checks/${id}`), 200);
  /** What was read: `:red_circle: checkout is down`. */
  const told = (): string[] =>
    chat.received.map(({ body }) =>
      JSON.parse(body)
        .text.replace(`${entity.name}: `, '')
        .replace(/\d+ s\b/, '… s'),
    );
  return {
    id,
    entity,
    change,
    told,
    /** Why, as the newest message has it. */
    why: (): string => /\*Why\*\\n([^"]*)/.exec(chat.received.at(-1)!.body)?.[1] ?? '',
    isTold: (count: number) => eventually(() => told().length >= count, PATIENCE_MS),
    isWell: () => eventually(async () => (await read()).last_result?.outcome === 'ok', PATIENCE_MS),
    is: (state: string) => eventually(async () => (await read()).state === state, PATIENCE_MS),
    /** Oldest first. */
    results: async () => (await everything(client, `/v1/checks/${id}/results`)).reverse(),
    /** The states that check and entity went through, and why nobody was told where nobody was. */
    changes: async () =>
      (await transitionsOf(client, id)).map(({ check_to_state, to_state, alert }) => {
        const { reason } = alert as { reason?: string };
        return `${check_to_state} ${to_state} ${reason ?? 'told'}`;
      }),
    close: chat.close,
  };
}

/** An agent that may look, run checks, and renew certificates. */
async function agentOf({ client, url }: { client: Client; url: string }, shop: string) {
  const action_id = await newAction(client, { name: 'Renew the certificate', url: shop });
  const what = { name: 'renew_certificate', description: 'Renews the certificate of the shop' };
  const renew = { ...what, inputSchema: { type: 'object' }, action_id };
  got(await client.post('/v1/skills', catalogOps()), 201);
  got(await client.post('/v1/skills', byNameAlone()), 201);
  got(await client.post('/v1/skills', { slug: 'runbook', name: 'Runbook', tools: [renew] }), 201);
  const scoped = { label: 'agent', scopes: ['mcp', 'read', 'respond'] };
  const { key } = got(await client.post('/v1/auth/keys', scoped), 201);
  const agent = await connect1(transports1.http({ url: `${url}/v1/mcp`, key }));
  return {
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
    use: async (name: string, args: Record<string, unknown> = {}): Promise<any> => {
      const { structuredContent, isError, content } = await agent.callTool({ name, arguments: args });
      expect(isError ?? false, JSON.stringify(content)).toBe(false);
      return structuredContent;
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

it('a slow shop is told in amber once and in red at once, and an agent sees why, mends it and sees it up', {
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

  // Slow, with a certificate that is about to end: degraded by the third run, with one message and no repeat.
  shop.becomes({ takes: SLOW_MS, days: 20 });
  await bothAre('degraded');
  expect(await entityStates()).toEqual(['degraded', 'degraded']);
  await loud.isTold(1);
  expect(loud.why()).toMatch(/^expected latency_ms to be less than 1000, got \d{4} \(and 1 more\)$/);
  const results = await loud.results();
  const third = results[results.findLastIndex(({ outcome }) => outcome === 'ok') + 3];
  const [, degraded] = await transitionsOf(client, loud.id);
  expect(third).toMatchObject({ outcome: 'warn', days_left: 20, warning_message: degraded!.error_message });
  await eventually(async () => (await loud.results()).length >= results.length + 1, PATIENCE_MS);
  expect(loud.told()).toEqual([':large_yellow_circle: checkout is degraded']);
  await loud.change({ repeat_interval_seconds: 0 });

  // Down within the hour that follows that message: told at once.
  shop.becomes({ status: 503 });
  await bothAre('down');
  await Promise.all([loud.isTold(2), quiet.isTold(1)]);

  // Quick again, and the certificate is still about to end.
  shop.becomes({ status: 200, takes: 0 });
  await bothAre('degraded');
  for (const one of both) await one.change({ cooldown_seconds: 0 });
  await Promise.all([loud.isTold(3), quiet.isTold(2)]);
  expect(loud.why()).toMatch(EXPIRES);

  const agent = stack.use(await agentOf(service, shop.url));
  const check_id = loud.id;
  // From here on it is run when the agent asks for it.
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
  // A process that stood still for a moment judges nothing, and says that it is to be run again.
  const run = await eventually(() => agent.use('run_check', { check_id }));
  expect(run).toMatchObject({ kind: 'manual', outcome: 'ok', days_left: 90, check_state: 'up' });
  await bothAre('up');
  expect(await agent.use('get_status_summary')).toMatchObject({ degraded: 0, up: 2, down: 0 });

  await loud.isTold(4);
  expect(loud.told()).toEqual([
    ':large_yellow_circle: checkout is degraded',
    ':red_circle: checkout is down',
    ':large_yellow_circle: checkout has been degraded for … s',
    ':large_green_circle: checkout is up again after … s degraded',
  ]);
  expect(await loud.changes()).toEqual([
    'up up initial',
    'degraded degraded told',
    'down down told',
    'degraded degraded cooldown',
    'up up told',
  ]);
  expect(quiet.told()).toEqual([
    ':red_circle: checkout is down',
    ':large_green_circle: checkout is up again after … s',
  ]);
  expect(await quiet.changes()).toEqual([
    'up up initial',
    'degraded degraded degraded_disabled',
    'down down told',
    'degraded degraded cooldown',
    'up up degraded_disabled',
  ]);
});
