import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { mergeEntityFigures } from '#lib/history/rollups/figures.ts';
import { knownSince, type MeasuredPart, timeReader } from '#lib/history/rollups/read-history.ts';
import { AppError } from '#lib/platform/errors.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { rangeOf, type SloItem, type SloStatus, type SloTime, statusOf } from './slo.ts';

/** Returns the start (epoch ms) of each burn rate's range; for 3d a full hour, because rollups start at full hours. */
const burnStarts = (now: number) => ({
  '3d': Math.ceil(now / HOUR_MS) * HOUR_MS - 72 * HOUR_MS,
  '6h': now - 6 * HOUR_MS,
  '1h': now - HOUR_MS,
});

/** Measures an SLO now. `missing`: whether its check or entity was deleted. */
export async function measureSlo(context: Context, slo: SloItem): Promise<{ missing: boolean; status: SloStatus }> {
  const now = context.ports.clock.now();
  const range = rangeOf(slo.window, now);
  const starts = burnStarts(now);
  const measured = await measuredOf(context, slo);
  const bounds = [...new Set([range.from, ...Object.values(starts), now])].toSorted((a, b) => a - b);
  const parts: MeasuredPart[] = [];
  if (measured) {
    const read = timeReader(context, measured);
    for (const [i, to] of bounds.slice(1).entries()) parts.push(...(await read({ from: bounds[i]!, to })));
  }
  const since = (from: number) => mergeEntityFigures(partsIn(parts, { from, to: now })).ms;
  const time: SloTime = {
    range,
    known_since: knownSince(parts.filter((part) => part.range.from >= range.from)),
    whole: since(range.from),
    last: { '1h': since(starts['1h']), '6h': since(starts['6h']), '3d': since(starts['3d']) },
  };
  return { missing: !measured, status: statusOf(slo, time) };
}

const partsIn = (parts: readonly MeasuredPart[], { from, to }: TimeRange) =>
  parts.filter(({ range }) => from <= range.from && range.to <= to).map(({ figures }) => figures);

type Measured = { check: CheckItem } | { entity: EntityItem };

/** Returns the check or entity of an SLO; undefined if it was deleted. */
async function measuredOf(
  context: Context,
  { check_id, entity_id }: Pick<SloItem, 'check_id' | 'entity_id'>,
): Promise<Measured | undefined> {
  try {
    return check_id === null
      ? { entity: await requireEntityById(context, entity_id!) }
      : { check: await requireCheck(context, check_id) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
