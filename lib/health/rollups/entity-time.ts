import { aggregate } from '#lib/checks/state/next-state.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';
import { type Accounted, type AccountedSpan, divide } from './accounted-span.ts';

/**
 * What an entity was in each part of a window, from what its checks were (docs/CONTRACT.md#history).
 * @param checks the spans of each check that it had in the window; time outside of them counts as not monitored
 */
export function entityTime(checks: readonly (readonly AccountedSpan[])[], window: Span): AccountedSpan[] {
  const borders = checks.flat().flatMap(({ from, to }) => [from, to]);
  const cursors = checks.map(spanIn);
  return divide(window, borders, (at) => together(cursors.flatMap((spanAt) => spanAt(at) ?? [])));
}

/** Checks in maintenance count only where all are: then the entity is, and what that hides is what they would make. */
function together(checks: readonly Accounted[]): Accounted {
  const monitored = checks.filter(({ as }) => as !== 'not_monitored');
  if (monitored.length === 0) return { as: 'not_monitored', in_maintenance: false };
  const counted = monitored.filter(({ in_maintenance }) => !in_maintenance);
  const in_maintenance = counted.length === 0;
  const states = (in_maintenance ? monitored : counted)
    .map(({ as }) => as)
    .filter((as) => as !== 'gap' && as !== 'not_monitored');
  return { as: states.length === 0 ? 'gap' : aggregate(Object.fromEntries(states.entries())), in_maintenance };
}

/** The span that holds an instant; to be asked in ascending order. */
function spanIn(spans: readonly AccountedSpan[]): (at: number) => AccountedSpan | undefined {
  let i = 0;
  return (at) => {
    while (i < spans.length && spans[i]!.to <= at) i++;
    return spans[i] && spans[i]!.from <= at ? spans[i] : undefined;
  };
}
