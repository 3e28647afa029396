import type { Env } from '#lib/env.ts';
import type { Job } from '#lib/messages.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Lanes } from '#lib/results/probe/lanes.ts';

/** When a probe last came too late for a reason of this service (epoch ms). GET /v1/health shows it. */
export type LateProbeItem = Item & { at: number };

/** It is written once in so long (ms) by a process, however many are late. */
const NOTED_EVERY_MS = 20_000;

/**
 * Takes note of probes that waited for longer than their interval, which are left as gaps. Those of a tenant that held
 * its share of the places itself say nothing of the service.
 */
export function lateProbes({ ports, keys }: Env, lanes: Lanes): (job: Job) => Promise<void> {
  let noted = Number.NEGATIVE_INFINITY;
  return async ({ tenant_id, cell, slot }) => {
    if (lanes.quick.wasHeldBack(tenant_id) || lanes.slow.wasHeldBack(tenant_id)) return;
    ports.metrics.count('LateProbes');
    const at = ports.clock.now();
    if (at < noted + NOTED_EVERY_MS) return;
    noted = at;
    ports.log.warn('probes come later than their interval and are left out', { tenant_id, cell, slot });
    const put: LateProbeItem = { ...keys.lastLateProbe, at };
    await ports.table
      .transact([{ put }])
      .catch((error: unknown) => ports.log.error('a late probe could not be noted', { error }));
  };
}
