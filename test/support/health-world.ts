import { NewBlueprint } from '#lib/catalog/blueprint.ts';
import { createBlueprint } from '#lib/catalog/change-blueprint.ts';
import { createEntity } from '#lib/catalog/change-entity.ts';
import { NewEntity } from '#lib/catalog/entity.ts';
import { createCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { failed, succeeded } from '#lib/checks/outcome.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import type { PackedEntry, StoredGapCause } from '#lib/results/pack.ts';
import { receivePush } from '#lib/results/pushes/receive-push.ts';
import { belongsInPack, entryOfProbe, openPack, type Probe, recordProbe } from '#lib/results/slots/record-probe.ts';
import { type IntervalSchedule, intervalScheduleOf } from '#lib/schedule/slots.ts';
import type { WatermarkItem } from '#lib/schedule/watermark.ts';
import { memoryWorld } from './memory-world.ts';

/** Returns the interval schedule of a check, which is that of its cell. */
export const intervalScheduleOfCheck = ({
  id,
  interval_seconds,
}: Pick<CheckItem, 'id' | 'interval_seconds'>): IntervalSchedule => intervalScheduleOf(cellOf(id), interval_seconds);

/** Returns the job of a check's cell at a slot (epoch ms). */
export const jobOfCheck = (
  { tenant_id, id, interval_seconds }: Pick<CheckItem, 'tenant_id' | 'id' | 'interval_seconds'>,
  slot: number,
): Job => ({ tenant_id, cell: cellOf(id), interval_seconds, slot });

/** Builds an account with a blueprint, and functions that record probes and pushes of its checks. */
export async function healthWorld() {
  const world = memoryWorld();
  const { ports, keys } = world;
  const { context } = await world.account();
  await createBlueprint(context, NewBlueprint.parse({ slug: 'service', name: 'Service' }));
  let entities = 0;

  const entity = async () => {
    const slug = `entity-${++entities}`;
    return createEntity(context, 'service', NewEntity.parse({ slug, name: `Entity ${entities}` }));
  };
  const check = async (more: Record<string, unknown> = {}): Promise<CheckItem> => {
    const entity_id = more.entity_id ?? (await entity()).id;
    const http = { check_type: 'http', target_url: 'https://example.com/', ...more, entity_id };
    return createCheck(context, (more.check_type ?? 'http') === 'http' ? http : { ...more, entity_id });
  };
  /** Reads the current record of a check. */
  const fresh = async ({ id, tenant_id }: CheckItem): Promise<CheckItem> =>
    (await ports.table.get<CheckItem>(keys.check(tenant_id, id)))!;
  /** Records a probe like a prober with a single check. */
  const record = async (probe: Probe): Promise<void> => {
    if (!belongsInPack(probe)) return void (await recordProbe(world, probe));
    await writePack(probe.check, probe.slot, entryOfProbe(probe));
  };
  const writePack = async (check: CheckItem, slot: number, entry: PackedEntry): Promise<void> => {
    // The delayed write never comes: `end` writes the only entry at once.
    const clock = { ...ports.clock, sleep: () => new Promise<never>(() => {}) };
    const pack = openPack({ keys, ports: { ...ports, clock } }, jobOfCheck(check, slot), 30);
    pack.add(entry);
    await pack.end();
  };
  return {
    ...world,
    context,
    record,
    readOnly: { ...context, caller: { ...context.caller, is_read_only: true } },
    entity,
    check,
    pushCheck: (more: Record<string, unknown> = {}) => check({ check_type: 'push', ...more }),
    fresh,
    /** Records a probe of the current check that started just now. */
    probe: async (check: CheckItem, slot: number, error = ''): Promise<void> => {
      const outcome = error === '' ? succeeded(40, 200) : failed('status', error, 40, 503);
      const started_at = ports.clock.now();
      await record({ check: await fresh(check), slot, started_at, outcome, retention_days: 30 });
    },
    /** Records why a slot has no result. */
    recordGap: (check: CheckItem, slot: number, gap: StoredGapCause): Promise<void> =>
      writePack(check, slot, { number: numberOf(check.id), gap }),
    push: async (check: CheckItem, success = true, checked_at?: number, latency_ms = 7): Promise<void> => {
      const push = { success, latency_ms, status_code: 0, error_message: success ? '' : 'no space left' };
      await receivePush(
        world,
        await fresh(check),
        { ...push, checked_at, identity: undefined, ends: { measured: false } },
        30,
      );
    },
    /** Sets every shard's watermark this far after the present, or before it if negative (ms). */
    watermark: (ahead: number) =>
      ports.table.putMany(
        keys.shards.map((shard): WatermarkItem => {
          return { ...keys.watermark(shard), v: ports.ids.token(), at: ports.clock.now() + ahead };
        }),
      ),
  };
}

export type HealthWorld = Awaited<ReturnType<typeof healthWorld>>;
