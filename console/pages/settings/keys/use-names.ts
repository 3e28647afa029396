import { useLoad } from '#console/api/load.ts';
import { live } from '#console/app/live.ts';
import type { KeyRecord } from '#lib/access/api-key.ts';

type Named = { id: string; name?: string };

/** Returns a function that maps the id of a check or entity in a restriction to its name; the id if not found. */
export function useNames(keys: readonly Pick<KeyRecord, 'check_ids'>[]): (id: string) => string {
  const isAnyRestricted = keys.some(({ check_ids }) => check_ids !== null);
  const checks = useLoad<Named[]>(isAnyRestricted ? '/v1/checks' : null, { all: true });
  return (id) => live.fleet.value?.get(id)?.name ?? checks.data?.find((check) => check.id === id)?.name ?? id;
}
