import { labelOf } from '#console/api/check-names.ts';
import type { Check } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { pathTo } from '#console/rules/address.ts';

/** Returns the names of the entity, if loaded, and of the check; a placeholder while the check loads. */
export function nameOfCheck(check: Check | undefined): string {
  if (!check) return 'Check';
  const entity = live.fleet.value?.get(check.entity_id);
  return entity ? `${entity.name}: ${labelOf(check)}` : labelOf(check);
}

export const CheckLink = ({ id, check }: { id: string; check: Check | undefined }) => (
  <a class="row-link" href={`#${pathTo('/checks/:id', { id })}`} dir="auto">
    {nameOfCheck(check)}
  </a>
);
