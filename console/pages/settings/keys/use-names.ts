import { useLoad } from '#console/api/load.ts';
import { live } from '#console/app/live.ts';
import type { KeyRecord } from '#lib/access/api-key.ts';

type Named = { id: string; name?: string };

/** Returns the names of the checks and entities that keys are restricted to; the id if unknown. */
export function useNames(keys: readonly Pick<KeyRecord, 'check_ids'>[]): (id: string) => string {
  const areRestricted = keys.some(({ check_ids }) => check_ids !== null);
  const checks = useLoad<Named[]>(areRestricted ? '/v1/checks' : null, { all: true });
  return (id) => live.fleet.value?.get(id)?.name ?? checks.data?.find((check) => check.id === id)?.name ?? id;
}
