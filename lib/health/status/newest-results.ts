import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { slotOf } from '#lib/health/history/read-packs.ts';
import { resultOf } from '#lib/history/runs/runs.ts';
import { lastResult } from '#lib/history/status/newest-results.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { orderOf, type ResultItem } from '#lib/results/result.ts';

/** Packs that are read of a cell and interval: the newest may still lack the slow ones, and have further parts. */
const PACKS = 3;

/**
 * The newest result of each of many checks, in their order; undefined without one. One read for each interval of a cell
 * gives those of up to 50 checks, and one more those that changed something since. Only what these do not show, as that
 * of a disabled check, is looked for by itself.
 */
export async function newestResults(
  context: Context,
  checks: readonly CheckItem[],
): Promise<(ResultItem | undefined)[]> {
  const { ports, keys, tenant } = context;
  const packs = new Map<string, Promise<PackItem[]>>();
  const packsOf = ({ id, interval_seconds }: CheckItem): Promise<PackItem[]> => {
    const partition = keys.packs(tenant, cellOf(id), interval_seconds);
    const known = packs.get(partition) ?? newest(partition);
    packs.set(partition, known);
    return known;
  };
  const newest = async (partition: string): Promise<PackItem[]> =>
    (await ports.table.query<PackItem>({ partition, descending: true, limit: PACKS, eventual: true })).items;

  const inPack = await Promise.all(
    checks.map(async (check) => {
      if (!check.enabled || check.execution_mode === 'push') return undefined;
      const found = newestOf(await packsOf(check), check);
      return found && (check.single === undefined || found.at > orderOf({ sk: check.single })) ? found : undefined;
    }),
  );
  const alone = checks.flatMap(({ id, single }, i) => (single && !inPack[i] ? [{ id, single }] : []));
  const singles = await ports.table.getMany<ResultItem>(
    alone.map(({ id, single }) => ({ pk: keys.ofCheck(tenant, id), sk: single })),
  );
  const singleOf = new Map(alone.map(({ id }, i) => [id, singles[i]]));
  return Promise.all(
    checks.map((check, i) => {
      const found = inPack[i];
      if (found) return resultOf(keys, check, found.at, found.run);
      return singleOf.get(check.id) ?? lastResult(context, check);
    }),
  );
}

/** The newest run of a check in some packs, newest first. */
function newestOf(packs: PackItem[], { id, settings_at }: CheckItem) {
  for (const pack of packs) {
    const run = entryOf(pack, numberOf(id));
    // Of another time in which it had this interval.
    if (run && !run.gap && slotOf(pack) >= settings_at) return { at: slotOf(pack), run };
  }
  return undefined;
}
