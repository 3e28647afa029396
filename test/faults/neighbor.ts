import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { type Client, insist } from './requests.ts';

const ENTITIES = 12;
/** With the check that has expressions, 25: the maximum per entity. */
const CHECKS_PER_ENTITY = 24;
/** Lifetime of its checks (ms). */
const STAY_MS = 150_000;

/** Expression whose search counts as slow. */
export const SLOW_EXPRESSION = 'a.{60}b';

/**
 * Simulates another tenant of the service, whose many checks all hang until their timeout: more at once than a process
 * has permits. Other checks of it have slow expressions, more than its CPU budget allows. Their results do not matter;
 * other tenants must not be affected.
 */
export async function runNeighbor(random: Random, clock: VirtualClock, client: Client): Promise<void> {
  const post = (path: string, body: object) => insist(random, clock, () => client('POST', path, body));
  await post('/v1/blueprints', { slug: 'service', name: 'Service', fields: [] });
  for (let i = 0; i < ENTITIES; i++) {
    const made = await post('/v1/blueprints/service/entities', { slug: `n${i}`, name: `Neighbor ${i}`, fields: {} });
    const entity_id = (made?.body as { id: string } | undefined)?.id;
    const checks = Array.from({ length: CHECKS_PER_ENTITY }, (_, n) => ({
      entity_id,
      check_type: 'http',
      target_url: `https://hang-${i}-${n}.example.com/`,
      interval_seconds: 30,
      timeout_ms: 30_000,
    }));
    await Promise.all(checks.map((check) => post('/v1/checks', check)));
    const assertions = Array.from({ length: 20 }, () => ({
      source: 'body',
      operator: 'not_matches',
      value: SLOW_EXPRESSION,
    }));
    const searched = { target_url: `https://search-${i}.example.com/`, interval_seconds: 10, config: { assertions } };
    await post('/v1/checks', { entity_id, check_type: 'http', ...searched });
  }
  await clock.sleep(STAY_MS);
  for (let i = 0; i < ENTITIES; i++)
    await insist(random, clock, () => client('DELETE', `/v1/blueprints/service/entities/n${i}`));
}
