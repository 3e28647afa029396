import { labelOf } from '#console/api/check-names.ts';
import type { Check } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { pathTo } from '#console/rules/address.ts';

/** A check by its name and that of its entity; while they are being read, by a word. */
export function nameOfCheck(check: Check | undefined): string {
  if (!check) return 'Check';
  const entity = live.fleet.value?.get(check.entity_id);
  return entity ? `${entity.name}: ${labelOf(check)}` : labelOf(check);
}

/** The same, with the way there. */
export const CheckLink = ({ id, check }: { id: string; check: Check | undefined }) => (
  <a class="row-link" href={`#${pathTo('/checks/:id', { id })}`} dir="auto">
    {nameOfCheck(check)}
  </a>
);
