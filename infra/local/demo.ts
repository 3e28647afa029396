import { startDemoTarget } from './demo-target.ts';

const HEARTBEAT_MS = 5_000;
/** Of every 90 s the backup job is silent for the last 45. */
const CYCLE_MS = 90_000;
const SILENT_MS = 45_000;

type Check = { id: string; name: string | null };
type Policy = { channels: { id: string }[] };

/**
 * `npm start -- --demo`: a small catalog whose states move within two minutes, made through the API as a user would.
 * Starting it again finds what it made before.
 * @param say prints a line for whoever watches
 */
export async function startDemo(
  service: { url: string; key: string },
  say: (line: string) => void,
): Promise<() => void> {
  const call = caller(service);
  const target = await startDemoTarget((text) => say(`alert  ${text}`));

  await call('POST', '/v1/blueprints', {
    slug: 'service',
    name: 'Service',
    fields: [
      { name: 'owner', field_type: 'string', required: true, default_value: 'platform team' },
      { name: 'tier', field_type: 'number' },
    ],
  });
  const known = await call<Check[]>('GET', '/v1/checks');
  const check = async (entity: string, name: string, settings: object): Promise<Check> => {
    const path = '/v1/blueprints/service/entities';
    await call('POST', path, { slug: entity, name, fields: { tier: 1 } });
    const { id: entity_id } = await call<{ id: string }>('GET', `${path}/${entity}`);
    const before = known.find((one) => one.name === name);
    const made = before
      ? await call<Check>('PUT', `/v1/checks/${before.id}`, settings)
      : await call<Check>('POST', '/v1/checks', { entity_id, name, ...settings });
    await alertHere(call, made.id, `${target.url}/alerts`);
    return made;
  };

  await check('shop', 'Web shop', { check_type: 'http', target_url: `${target.url}/shop`, interval_seconds: 5 });
  const api = { check_type: 'http', target_url: `${target.url}/api`, interval_seconds: 3, failure_threshold: 2 };
  await check('api', 'Public API', api);
  const silence = { interval_seconds: 5, failure_threshold: 1, config: { grace_seconds: 15 } };
  const backup = await check('backup', 'Backup job', { check_type: 'push', ...silence });

  say(`demo   three checks on ${target.url}; the API and the backup job fail now and then`);
  const beat = async () => {
    if (Date.now() % CYCLE_MS > CYCLE_MS - SILENT_MS) return;
    await call('POST', `/v1/checks/${backup.id}/heartbeat`);
  };
  const timer = setInterval(() => beat().catch((error: Error) => say(`demo   ${error.message}`)), HEARTBEAT_MS);
  return () => {
    clearInterval(timer);
    target.stop();
  };
}

type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

/** Calls the API; a 409 says that a thing is there already, which is fine here. */
const caller =
  ({ url, key }: { url: string; key: string }): Call =>
  async <T>(method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (response.status === 204 ? {} : await response.json()) as T & { error?: string };
    if (response.ok || response.status === 409) return answer;
    throw new Error(`${method} ${path} answered ${response.status}: ${answer.error}`);
  };

/** One channel, to the demo's own receiver, whose port is another one at each start. */
async function alertHere(call: Call, checkId: string, url: string): Promise<void> {
  const policy = await call<Policy>('POST', `/v1/checks/${checkId}/policy`, { cooldown_seconds: 0 });
  for (const { id } of policy.channels) await call('DELETE', `/v1/checks/${checkId}/policy/channels/${id}`);
  await call('POST', `/v1/checks/${checkId}/policy/channels`, { channel_type: 'slack', config: { url } });
}
