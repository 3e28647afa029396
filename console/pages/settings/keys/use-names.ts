import { useLoad } from '#console/api/load.ts';
import { live } from '#console/app/live.ts';
import type { KeyRecord } from '#lib/access/api-key.ts';

type Named = { id: string; name?: string };

/** What the checks and entities are called that keys are held to; an id where that is not known. */
export function useNames(keys: readonly Pick<KeyRecord, 'check_ids'>[]): (id: string) => string {
  const areHeld = keys.some(({ check_ids }) => check_ids !== null);
  const checks = useLoad<Named[]>(areHeld ? '/v1/checks' : null, { all: true });
  return (id) => live.fleet.value?.get(id)?.name ?? checks.data?.find((check) => check.id === id)?.name ?? id;
}
