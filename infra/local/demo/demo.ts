import { startDemoDatabase } from './demo-database.ts';
import { DEMO_ADDRESS, startDemoDns } from './demo-dns.ts';
import { startDemoGrpc } from './demo-grpc.ts';
import { startDemoTarget } from './demo-target.ts';

const HEARTBEAT_MS = 5_000;
/** The backup job sends no heartbeat in the last 45 s of every 90 s. */
const CYCLE_MS = 90_000;
const MISSED_MS = 45_000;

type Named = { id: string; name: string | null };
type Policy = { channels: { id: string }[] };

/** Runs `npm start -- --demo`: creates a small changing catalog through the API, or reuses it. */
export async function startDemo(
  service: { url: string; key: string; keyFile: string },
  say: (line: string) => void,
): Promise<() => void> {
  const call = caller(service);
  const target = await startDemoTarget({
    alert: (text) => say(`alert  ${text}`),
    restart: (what) => say(`action requested a restart of ${what}`),
  });
  const dns = await startDemoDns();
  const grpc = await startDemoGrpc();
  const redis = await startDemoDatabase();

  await call('POST', '/v1/blueprints', {
    slug: 'service',
    name: 'Service',
    fields: [
      { name: 'owner', field_type: 'string', required: true, default_value: 'platform team' },
      { name: 'tier', field_type: 'number' },
    ],
  });
  const entity = async (slug: string, name: string): Promise<string> => {
    const path = '/v1/blueprints/service/entities';
    await call('POST', path, { slug, name, fields: { tier: 1 } });
    return (await call<{ id: string }>('GET', `${path}/${slug}`)).id;
  };
  const existing = await call<Named[]>('GET', '/v1/checks');
  const check = async (entity_id: string, name: string, settings: object): Promise<string> => {
    const before = existing.find((one) => one.name === name);
    const { id } = before
      ? await call<Named>('PUT', `/v1/checks/${before.id}`, settings)
      : await call<Named>('POST', '/v1/checks', { entity_id, name, ...settings });
    await alertHere(call, id, `${target.url}/alerts`);
    return id;
  };

  const shop = await entity('shop', 'Web shop');
  const api = await entity('api', 'Public API');
  const database = await entity('database', 'Database');
  const backup = await entity('backup', 'Nightly backup');
  for (const [from_entity_id, to_entity_id] of [
    [shop, api],
    [api, database],
    [backup, database],
  ]) {
    await call('POST', '/v1/relations', { from_entity_id, to_entity_id, relation_type: 'depends_on' });
  }

  const often = { interval_seconds: 5, failure_threshold: 2 };
  const host = '127.0.0.1';
  await check(shop, 'home page', {
    check_type: 'http',
    target_url: `${target.url}/shop`,
    body_contains: 'ok',
    ...often,
  });
  const name = { hostname: 'shop.example.com', record_type: 'A', expected_value: DEMO_ADDRESS, resolver: dns.server };
  await check(shop, 'its DNS record', { check_type: 'dns', config: name, ...often });
  await check(shop, 'its domain', { check_type: 'domain', config: { domain: 'example.com' } });
  const live = { url: `${target.url.replace('http', 'ws')}/live`, expect: 'price' };
  await check(shop, 'its live prices', { check_type: 'websocket', config: live, ...often });
  await check(api, 'its cart service', {
    check_type: 'grpc',
    config: { host, port: grpc.port, tls: false, service: 'shop.Cart' },
    ...often,
  });
  const health = await check(api, 'health endpoint', {
    check_type: 'http',
    target_url: `${target.url}/api`,
    ...often,
  });
  const steps = [{ send: 'PING\r\n' }, { expect: '+PONG' }];
  await check(database, 'its response', { check_type: 'tcp', config: { host, port: redis.port, steps }, ...often });
  // The target does not use TLS, so this check stays down and its entity degraded.
  await check(database, 'its certificate', { check_type: 'tls', config: { host, port: target.port }, ...often });
  const heartbeats = { interval_seconds: 5, failure_threshold: 1, config: { grace_seconds: 15 } };
  const job = await check(backup, 'heartbeat', { check_type: 'push', ...heartbeats });
  await restartWhenDown(call, health, `${target.url}/restart`);

  say(`demo   four entities, nine checks on ${target.url}; the API and the backup fail periodically`);
  for (const line of hintsFor(service)) say(line);
  const beat = async () => {
    if (Date.now() % CYCLE_MS > CYCLE_MS - MISSED_MS) return;
    await call('POST', `/v1/checks/${job}/heartbeat`);
  };
  const timer = setInterval(() => beat().catch((error: Error) => say(`demo   ${error.message}`)), HEARTBEAT_MS);
  return () => {
    clearInterval(timer);
    target.stop();
    dns.stop();
    grpc.stop();
    redis.stop();
  };
}

function hintsFor({ url, keyFile }: { url: string; keyFile: string }): string[] {
  const get = (path: string, what: string) =>
    `try    ${what}: curl -s -H "Authorization: Bearer $(cat ${keyFile})" ${url}${path}`;
  return [
    get('/v1/status', 'states'),
    get('/v1/status/transitions', 'state changes, and why alerts were sent or not'),
    get('/v1/relations', 'dependencies'),
    get('/v1/actions', 'the action that restarts the API'),
    'see    docs/use: heartbeats, channels, alerts, actions; docs/operate: installation',
  ];
}

type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

const caller =
  ({ url, key }: { url: string; key: string }): Call =>
  async <T>(method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const result = (response.status === 204 ? {} : await response.json()) as T & { error?: string };
    if (response.ok || response.status === 409) return result;
    throw new Error(`${method} ${path} returned ${response.status}: ${result.error}`);
  };

/** Replaces the channels of a check with the receiver of the demo, whose port changes at each start. */
async function alertHere(call: Call, checkId: string, url: string): Promise<void> {
  const policy = await call<Policy>('POST', `/v1/checks/${checkId}/policy`, { cooldown_seconds: 0 });
  for (const { id } of policy.channels) await call('DELETE', `/v1/checks/${checkId}/policy/channels/${id}`);
  await call('POST', `/v1/checks/${checkId}/policy/channels`, { channel_type: 'slack', config: { url } });
}

async function restartWhenDown(call: Call, check_id: string, url: string): Promise<void> {
  const action = {
    name: 'Restart the API',
    url,
    body_template: '{"what": "{{entity_name}}", "transition": "{{transition_id}}"}',
    trigger_type: 'state_change',
    check_id,
    trigger_to_state: 'down',
  };
  const existing = (await call<Named[]>('GET', '/v1/actions')).find(({ name }) => name === action.name);
  if (existing) await call('PUT', `/v1/actions/${existing.id}`, action);
  else await call('POST', '/v1/actions', action);
}
