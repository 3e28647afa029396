import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Client } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';

/** Entity that fails. */
const DATABASE = 'orders-db';
/** Services, each with its dependencies. */
const SERVICES: Record<string, readonly string[]> = {
  'session-cache': [],
  'search-index': [],
  'mail-relay': [],
  'image-store': [],
  'status-site': [],
  wiki: ['image-store'],
  newsletter: ['mail-relay'],
  search: ['search-index'],
  login: ['session-cache'],
  catalog: ['search-index', 'image-store'],
  ...of(DATABASE, 'orders', 'payments', 'stock', 'invoices', 'customers', 'reports'),
  ...of('orders', 'checkout', 'order-history', 'returns', 'delivery-slots'),
  ...of('payments', 'refunds', 'gift-cards', 'fraud-check'),
  ...of('stock', 'warehouse', 'restocking', 'price-labels'),
  ...of('customers', 'loyalty', 'address-book', 'support-desk'),
  ...of('checkout', 'web-shop', 'mobile-api', 'kiosk'),
  ...of('invoices', 'accounting', 'dunning'),
  ...of('reports', 'dashboards', 'forecasts'),
  ...of('warehouse', 'scanners', 'conveyor', 'packing'),
};

/** Service without a relation to the database in the setup with `lacksRelation`. */
const UNRELATED = 'payments';

/** Returns services that each depend only on the entity `needs`. */
function of(needs: string, ...names: string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.map((name) => [name, [needs]]));
}

/**
 * Starts the database as a TCP server, and one HTTP server for all services. The path of a service returns 503 while
 * one of its direct or transitive dependencies is down.
 */
export async function startShop() {
  let database: Server | undefined;
  const works = (name: string): boolean =>
    name === DATABASE ? database !== undefined : (SERVICES[name] ?? []).every(works);
  const web = createServer((request, response) => {
    response.statusCode = works(request.url!.slice(1)) ? 200 : 503;
    response.end();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const accepted = new Set<Socket>();
  let port = 0;
  const open = () =>
    new Promise<void>((resolve) => {
      database = createTcpServer((socket) => void accepted.add(socket.on('error', () => socket.destroy())));
      database.listen(port, '127.0.0.1', () => resolve());
    });
  await open();
  port = (database!.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${(web.address() as AddressInfo).port}`,
    database: { host: '127.0.0.1', port },
    /** Shuts the database down and closes every connection to it. */
    break: () => {
      database?.close();
      database = undefined;
      for (const socket of accepted) socket.destroy();
      accepted.clear();
    },
    repair: open,
  };
}

/** Destinations of the alerts of a catalog: the database team and the service team. */
export type Destinations = { database_team: string; service_team: string; mail: string };

/**
 * Creates the catalog in a new account: an entity and a check for each service, and three channels. Each check runs
 * every 30 s and goes down after two failures. Returns the number of entities.
 */
export async function createCatalog(
  client: Client,
  shop: Awaited<ReturnType<typeof startShop>>,
  to: Destinations,
  { lacksRelation }: { lacksRelation: boolean },
): Promise<number> {
  const ids = new Map<string, string>();
  for (const slug of ['database', 'service']) got(await client.post('/v1/blueprints', { slug, name: slug }), 201);
  const channel = (name: string, blueprint: string, channel_type: string, config: object) =>
    client.post('/v1/notify/channels', { name, channel_type, config, applies_to: { blueprints: [blueprint] } });
  got(await channel('Database team', 'database', 'webhook', { url: to.database_team }), 201);
  got(await channel('Service team', 'service', 'webhook', { url: to.service_team }), 201);
  got(await channel('Service team, by mail', 'service', 'email', { to: to.mail }), 201);

  const settings = { interval_seconds: 30, failure_threshold: 2, timeout_ms: 5000 };
  const add = async (blueprint: string, slug: string, check: object) => {
    const entity = got(await client.post(`/v1/blueprints/${blueprint}/entities`, { slug, name: slug }), 201);
    ids.set(slug, entity.id);
    got(await client.post('/v1/checks', { entity_id: entity.id, ...settings, ...check }), 201);
  };
  await add('database', DATABASE, { check_type: 'tcp', config: shop.database });
  for (const name of Object.keys(SERVICES)) {
    await add('service', name, { check_type: 'http', target_url: `${shop.url}/${name}`, config: {} });
  }
  for (const [name, needs] of Object.entries(SERVICES)) {
    for (const need of needs) {
      if (lacksRelation && name === UNRELATED) continue;
      const ends = { from_entity_id: ids.get(name), to_entity_id: ids.get(need) };
      got(await client.post('/v1/relations', { ...ends, relation_type: 'depends_on' }), 201);
    }
  }
  return ids.size;
}
