import { inParallel } from '#test/long/fleet.ts';
import { type ApiResponse, type Caller, newEntity } from './client.ts';

const CHECKS_AN_ENTITY = 25;

/**
 * Creates disabled checks, 25 per entity, up to the limit of the account.
 * @returns their ids, and the error if the limit was reached
 */
export async function makeChecks(
  caller: Caller,
  count: number,
  settings: (number: number) => object,
): Promise<{ ids: string[]; limit?: string }> {
  await caller.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const ids: string[] = [];
  let entity_id = '';
  for (let n = 0; n < count; n++) {
    if (n % CHECKS_AN_ENTITY === 0) entity_id = await newEntity(caller, `hostile-${n}`);
    try {
      ids.push((await caller.need('POST', '/v1/checks', { entity_id, enabled: false, ...settings(n) })).id);
    } catch (error) {
      if (!/LIMIT_EXCEEDED/.test((error as Error).message)) throw error;
      return { ids, limit: `the limit allows ${n} of ${count} checks: ${(error as Error).message}` };
    }
  }
  return { ids };
}

/** Enables checks as fast as the service accepts it. Each is probed within seconds, and then in its slots. */
export async function enable(caller: Caller, ids: string[]): Promise<void> {
  await inParallel(ids, 10, (id) => caller.need('PUT', `/v1/checks/${id}`, { enabled: true }));
}

/** Returns the results of each check since a time (epoch ms). */
export async function resultsOf(caller: Caller, ids: string[], since: number): Promise<ApiResponse['body'][][]> {
  const from = new Date(since).toISOString();
  return inParallel(ids, 4, (id) => caller.all(`/v1/checks/${id}/results?limit=500&since=${from}`));
}

/** Returns interval and timeout of slow checks: half of the attack, 10 to 30 s, so that each check runs again. */
export const slowSettings = (seconds: number) => {
  const interval_seconds = Math.min(30, Math.max(10, Math.floor(seconds / 2)));
  return { interval_seconds, timeout_ms: interval_seconds * 1000 };
};
