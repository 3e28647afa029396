import * as z from 'zod';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Window } from '#lib/history/runs/timeline.ts';
import type { NotedCause } from '#lib/results/pack.ts';
import { probeTimeout } from '#lib/results/probe/probe.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';
import { readWatermark } from '#lib/schedule/watermark.ts';
import type { Settings } from '#lib/settings.ts';

/**
 * Why a slot has no result (docs/CONTRACT.md#gaps). `outage` follows from our outages, `network` and `error` from the
 * packs, noted when the probe failed on our side; `late` is anything else, such as our own stall.
 */
export const GapCause = z
  .enum(['late', 'outage', 'network', 'error'])
  .describe(
    'outage: the service did not run. network: its own network failed. error: a fault of ours. late: anything else, such as a probe that came too late.',
  );
export type GapCause = z.infer<typeof GapCause>;

/** [from, to) in epoch ms. */
export type Span = { from: number; to: number };

/** How long after its slot (ms) a probe may be under way: an outage that begins meanwhile has cut it off. */
const underWay = (check: CheckItem, { JOB_GROUP_MS }: Pick<Settings, 'JOB_GROUP_MS'>): number =>
  JOB_GROUP_MS + probeTimeout(check);

/**
 * Our outages that touch a window or cut off the probe of a slot in it, the one that goes on at this moment included;
 * ascending, none overlaps another.
 */
export async function outagesOf(env: Env, check: CheckItem, window: Window): Promise<Span[]> {
  const { ports, keys } = env;
  const shard = keys.shardOf(check.id);
  const { from } = window;
  const until = window.until + underWay(check, ports.settings);
  const [outages, watermark] = await Promise.all([outagesBetween(env, shard, from, until), readWatermark(env, shard)]);
  const now = ports.clock.now();
  if (!watermark || watermark.at >= Math.min(now, until)) return outages;
  const last = outages.at(-1);
  if (!last || last.to < watermark.at) return [...outages, { from: watermark.at, to: now }];
  return [...outages.slice(0, -1), { from: last.from, to: now }];
}

/** Why slots of a window were missed; to be asked in ascending order. `noted`: the cause that a pack holds. */
export function causes({ ports }: TenantEnv, check: CheckItem, outages: Span[]) {
  const reach = underWay(check, ports.settings);
  let i = 0;
  return (slot: number, noted: NotedCause | undefined): GapCause => {
    while (i < outages.length && outages[i]!.to <= slot) i++;
    const outage = outages[i];
    if (outage && outage.from <= slot) return 'outage';
    const isCutOff = outage !== undefined && outage.from <= slot + reach;
    return noted ?? (isCutOff ? 'outage' : 'late');
  };
}
