import type { Env } from '#lib/env.ts';
import { DATABASE, type DemoEntity, ENTITIES, LAYERS } from './demo-catalog.ts';
import { type Monitored, writePast } from './demo-history.ts';
import { startDemoTarget } from './demo-target.ts';

/** Slug of the status page, which an earlier start can have created. */
const STATUS_PAGE = 'demo';

const HEARTBEAT_MS = 5_000;

type Service = Env & { url: string; key: string };
type Target = Awaited<ReturnType<typeof startDemoTarget>>;

/**
 * Runs `npm start -- --demo`: starts the monitored systems, one of which fails repeatedly. Creates their catalog
 * through the API, and its history, unless an earlier start did.
 */
export async function startDemo(service: Service, say: (line: string) => void): Promise<void> {
  const call = caller(service);
  const target = await startDemoTarget({
    say,
    report: (execution, event) => call('POST', `/v1/actions/executions/${execution}/events`, event),
  });
  const monitored = await createCatalog(call, target);
  // `writePast` writes a manual incident last, so that incident shows that the history is complete.
  const incidents = await call<object[]>('GET', '/v1/incidents?origin=manual');
  if (incidents.length === 0) await writePast(service, service.key, monitored);

  const idOf = (slug: string) => monitored.find((one) => one.slug === slug)!.check_id;
  const channel = { name: 'Terminal', channel_type: 'slack', config: { url: `${target.url}/alerts` } };
  await put(call, '/v1/notify/channels', channel);
  await call('POST', `/v1/checks/${idOf(DATABASE)}/policy`, { cooldown_seconds: 0 });
  const components = ENTITIES.filter(({ layer }) => layer === 'frontend' || layer === 'service').map(
    ({ slug, name }) => ({
      name,
      entity_id: monitored.find((one) => one.slug === slug)!.entity_id,
    }),
  );
  await call('POST', '/v1/status-pages', {
    slug: STATUS_PAGE,
    title: 'Demo status',
    description: 'Services of a shop whose database fails every seven minutes.',
    visibility: 'public',
    history_days: 30,
    automatic_delay_seconds: 10,
    groups: [
      { name: 'For customers', components: components.slice(0, 3) },
      { name: 'Internal services', components: components.slice(3) },
    ],
  });
  await put(call, '/v1/actions', {
    name: 'Restart the orders database',
    url: `${target.url}/repair`,
    body_template: '{"execution": "{{execution_id}}"}',
    trigger_type: 'state_change',
    check_id: idOf(DATABASE),
    trigger_to_state: 'down',
    remediation: { max_attempts: 3, cooldown_seconds: 60, settle_seconds: 5, stable_seconds: 60 },
  });
  const beat = () => call('POST', `/v1/checks/${idOf('mailer')}/heartbeat`);
  await beat();
  setInterval(() => beat().catch((error: Error) => say(`demo    ${error.message}`)), HEARTBEAT_MS);
}

/** Creates blueprints, entities, relations and a check per entity. Existing checks get the ports of this start. */
async function createCatalog(call: Call, target: Target): Promise<Monitored[]> {
  for (const { slug, name } of LAYERS) await call('POST', '/v1/blueprints', { slug, name });
  for (const { layer, slug, name, team } of ENTITIES) {
    await call('POST', `/v1/blueprints/${layer}/entities`, { slug, name, labels: { team } });
  }
  for (const { needs, ...one } of ENTITIES) {
    for (const need of needs) {
      const to_entity = pathOf(ENTITIES.find(({ slug }) => slug === need)!);
      await call('POST', '/v1/relations', { from_entity: pathOf(one), to_entity, relation_type: 'depends_on' });
    }
  }
  const monitored: Monitored[] = [];
  for (const one of ENTITIES) {
    const settings = { entity: pathOf(one), interval_seconds: 5, ...settingsOf(one, target) };
    const check = await call<{ id: string; entity_id: string }>('PUT', `/v1/checks/by-slug/${one.slug}`, settings);
    monitored.push({ ...one, check_id: check.id, entity_id: check.entity_id });
  }
  return monitored;
}

const pathOf = ({ layer, slug }: Pick<DemoEntity, 'layer' | 'slug'>): string => `${layer}/${slug}`;

/** Returns the settings of the check of an entity. Checks of stores go down first, so that the cause is known. */
function settingsOf({ check_type, slug }: DemoEntity, { url, databasePort, storePort }: Target): object {
  const settings = {
    http: { name: 'Health', target_url: `${url}/health/${slug}`, failure_threshold: 3 },
    tcp: {
      name: 'Connection',
      failure_threshold: 1,
      config: {
        host: '127.0.0.1',
        port: slug === DATABASE ? databasePort : storePort,
        steps: [{ send: 'PING\r\n' }, { expect: '+PONG' }],
      },
    },
    push: { name: 'Heartbeat', failure_threshold: 1, config: { grace_seconds: 15 } },
  };
  return { check_type, ...settings[check_type] };
}

export const demoGreeting = ({ url, open, keyFile }: { url: string; open: string; keyFile: string }): string => `
Open ${open}
  Fleet      12 entities with a history of 30 days
  Map        customer-facing services, internal services, databases
  Incidents  every 7 minutes, the database and five dependents fail: one alert below, and an action repairs it
  Status     ${url}/status/demo, the page for visitors
  Actions    each remediation attempt, with the log of its pipeline and its result
  API        Fleetwatch runs at ${url}: curl -H "Authorization: Bearer $(cat ${keyFile})" ${url}/v1/status

`;

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
    // 409: exists since an earlier start.
    if (response.ok || response.status === 409) return result;
    throw new Error(`${method} ${path} returned ${response.status}: ${result.error}`);
  };

async function put<T extends { name: string }>(call: Call, path: string, item: T): Promise<void> {
  const existing = (await call<{ id: string; name: string }[]>('GET', path)).find(({ name }) => name === item.name);
  if (existing) await call('PUT', `${path}/${existing.id}`, item);
  else await call('POST', path, item);
}
