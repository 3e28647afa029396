import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';
import { cellOf } from '#lib/keys.ts';
import { timeOf } from './accounted-span.ts';
import { entityTime } from './entity-time.ts';
import { type EntityFigures, mergeEntityFigures } from './figures.ts';
import type { Part, RollupReader } from './stored-rollups.ts';

/** An entity by the hour, ascending: its counts are sums over its checks, its time is made of theirs. */
export async function entityHours(
  rollups: RollupReader,
  checks: readonly CheckItem[],
  window: Span,
): Promise<Part<EntityFigures>[]> {
  const ofChecks = await Promise.all(checks.map((check) => rollups.hours(check, window)));
  const borders = [...new Set(ofChecks.flat().flatMap((part) => [part.window.from, part.window.to]))].sort(
    (a, b) => a - b,
  );
  return borders.slice(1).map((to, i) => {
    const hour = { from: borders[i]!, to };
    const parts = ofChecks.flatMap((hours) =>
      hours.filter((part) => part.window.from < to && hour.from < part.window.to),
    );
    const counted = parts.filter((part) => part.window.from >= hour.from);
    const time = timeOf(
      entityTime(
        parts.map(({ figures }) => figures.spans ?? []),
        hour,
      ),
    );
    return {
      window: hour,
      figures: { ...mergeEntityFigures(counted.map(({ figures }) => figures)), ...time },
      isRolled: parts.every(({ isRolled }) => isRolled),
      revised_at: latestOf(parts),
    };
  });
}

/** The cell of an entity's first check: its days are kept there. */
export const homeCellOf = ({ checks }: Pick<EntityItem, 'checks'>): string | undefined =>
  Object.keys(checks).sort().map(cellOf)[0];

/** When one of some parts was revised last; null when none was. */
export const latestOf = (parts: readonly Pick<Part, 'revised_at'>[]): number | null =>
  parts.reduce<number | null>(
    (last, { revised_at }) => (revised_at !== null && revised_at > (last ?? 0) ? revised_at : last),
    null,
  );
