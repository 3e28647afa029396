import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { type Client, insist } from './requests.ts';

const ENTITIES = 12;
const CHECKS_PER_ENTITY = 25;
/** Lifetime of its checks (ms). */
const STAY_MS = 150_000;

/**
 * Another tenant of the service, whose many checks all hang until their time-out: more at once than a process has
 * permits. Their results do not matter; other tenants must not be affected.
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
  }
  await clock.sleep(STAY_MS);
  for (let i = 0; i < ENTITIES; i++)
    await insist(random, clock, () => client('DELETE', `/v1/blueprints/service/entities/n${i}`));
}
