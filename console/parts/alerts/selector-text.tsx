import { live } from '#console/app/live.ts';
import { selectorText } from '#console/rules/selector.ts';

type SelectorTextProps = { of: Parameters<typeof selectorText>[0] };

export const SelectorText = ({ of }: SelectorTextProps) => (
  <span dir="auto">{selectorText(of, (id) => live.fleet.value?.get(id)?.name ?? id)}</span>
);

/** Returns the slugs of blueprints with entities. */
export const blueprintsInUse = (): string[] =>
  [...new Set([...(live.fleet.value?.values() ?? [])].map(({ blueprint_slug }) => blueprint_slug))].sort();
