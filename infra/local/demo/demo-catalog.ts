/** Layers of the demo, the nearest to customers first; each layer depends on those after it. */
export const LAYERS = [
  { slug: 'frontend', name: 'Customer-facing service' },
  { slug: 'service', name: 'Internal service' },
  { slug: 'store', name: 'Database or queue' },
];

/** Entity of the demo, which has one check. `needs`: slugs of the entities that it depends on. */
export type DemoEntity = {
  layer: string;
  slug: string;
  name: string;
  team: string;
  check_type: 'http' | 'tcp' | 'push';
  /** Usual latency in ms, for the history. */
  latency_ms: number;
  needs: string[];
};

const entity = (
  path: string,
  name: string,
  team: string,
  check_type: DemoEntity['check_type'],
  latency_ms: number,
  ...needs: string[]
): DemoEntity => {
  const [layer = '', slug = ''] = path.split('/');
  return { layer, slug, name, team, check_type, latency_ms, needs };
};

/** Slug of the entity that fails every few minutes; five others depend on it. */
export const DATABASE = 'orders-database';

export const ENTITIES: readonly DemoEntity[] = [
  entity('frontend/web-shop', 'Web shop', 'shop', 'http', 180, 'checkout', 'catalog', 'search'),
  entity('frontend/mobile-app', 'Mobile app', 'shop', 'http', 140, 'accounts', 'catalog'),
  entity('frontend/partner-api', 'Partner API', 'partners', 'http', 95, 'checkout'),
  entity('service/checkout', 'Checkout', 'payments', 'http', 60, DATABASE, 'event-queue'),
  entity('service/accounts', 'Accounts', 'payments', 'http', 35, DATABASE, 'session-cache'),
  entity('service/catalog', 'Catalog', 'shop', 'http', 40, 'search-index', 'session-cache'),
  entity('service/search', 'Search', 'shop', 'http', 75, 'search-index'),
  entity('service/mailer', 'Mailer', 'partners', 'push', 0, 'event-queue'),
  entity(`store/${DATABASE}`, 'Orders database', 'platform', 'tcp', 4),
  entity('store/session-cache', 'Session cache', 'platform', 'tcp', 1),
  entity('store/search-index', 'Search index', 'platform', 'tcp', 12),
  entity('store/event-queue', 'Event queue', 'platform', 'tcp', 3),
];

/** Whether an entity fails while `failed` does: it is that entity, or depends on it directly or through others. */
export function failsWith(slug: string, failed: string): boolean {
  if (slug === failed) return true;
  return ENTITIES.some((one) => one.slug === slug && one.needs.some((need) => failsWith(need, failed)));
}
