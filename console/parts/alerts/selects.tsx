import { live } from '#console/app/live.ts';
import { selectorWords } from '#console/rules/selector.ts';

type SelectsProps = { of: Parameters<typeof selectorWords>[0] };

/** Which checks, or alerts, a selector means. */
export const Selects = ({ of }: SelectsProps) => (
  <span dir="auto">{selectorWords(of, (id) => live.fleet.value?.get(id)?.name ?? id)}</span>
);

/** Slugs of the blueprints that have entities, to choose from. */
export const blueprintsInUse = (): string[] =>
  [...new Set([...(live.fleet.value?.values() ?? [])].map(({ blueprint_slug }) => blueprint_slug))].sort();
