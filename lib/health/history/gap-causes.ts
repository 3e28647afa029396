import * as z from 'zod';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Window } from '#lib/health/recording/due-slots.ts';
import { probeTimeout } from '#lib/health/status/staleness.ts';
import { GAP_NOTES, stamp } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Settings } from '#lib/platform/settings.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';
import { readWatermark } from '#lib/schedule/watermark.ts';

/**
 * Why a slot has no result (docs/CONTRACT.md#gaps). `outage` follows from our outages, `network` and `error` from notes
 * written when the probe failed on our side; `late` is anything else, such as our own stall.
 */
export const GapCause = z
  .enum(['late', 'outage', 'network', 'error'])
  .describe(
    'outage: the service did not run. network: its own network failed. error: a fault of ours. late: anything else, such as a probe that came too late.',
  );
export type GapCause = z.infer<typeof GapCause>;

/** Says why a slot, which its key names, has no result, where that is known. About 150 bytes. */
export type GapNoteItem = Item & { cause: 'network' | 'error' };

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
  const shard = keys.shardOf(check.entity_id);
  const { from } = window;
  const until = window.until + underWay(check, ports.settings);
  const [outages, watermark] = await Promise.all([outagesBetween(env, shard, from, until), readWatermark(env, shard)]);
  const now = ports.clock.now();
  if (!watermark || watermark.at >= Math.min(now, until)) return outages;
  const last = outages.at(-1);
  if (!last || last.to < watermark.at) return [...outages, { from: watermark.at, to: now }];
  return [...outages.slice(0, -1), { from: last.from, to: now }];
}

/** Why slots of a window were missed; to be asked in ascending order. */
export function causes(context: TenantEnv, check: CheckItem, outages: Span[]) {
  const noted = notes(context, check);
  const reach = underWay(check, context.ports.settings);
  let i = 0;
  return async (slot: number): Promise<GapCause> => {
    while (i < outages.length && outages[i]!.to <= slot) i++;
    const outage = outages[i];
    if (outage && outage.from <= slot) return 'outage';
    const isCutOff = outage !== undefined && outage.from <= slot + reach;
    return (await noted(slot)) ?? (isCutOff ? 'outage' : 'late');
  };
}

const NOTES_A_PAGE = 500;

/** What the notes of a check say of slots; to be asked in ascending order. Read page by page, ahead of the slots. */
function notes({ ports, keys, tenant }: TenantEnv, check: CheckItem) {
  let items: GapNoteItem[] = [];
  let i = 0;
  let isLast = false;
  return async (slot: number): Promise<GapNoteItem['cause'] | undefined> => {
    const key = keys.gapNote(tenant, check.id, slot);
    for (;;) {
      while (i < items.length && items[i]!.sk < key.sk) i++;
      if (i < items.length || isLast) break;
      const page = await ports.table.query<GapNoteItem>({
        partition: key.pk,
        from: key.sk,
        to: `${GAP_NOTES}${stamp(ports.clock.now())}`,
        limit: NOTES_A_PAGE,
      });
      items = page.items;
      i = 0;
      isLast = page.next === undefined;
    }
    return items[i]?.sk === key.sk ? items[i]!.cause : undefined;
  };
}
