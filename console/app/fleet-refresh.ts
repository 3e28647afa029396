import { useEffect } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Me } from '#console/api/records.ts';
import { live } from './live.ts';

/** Reloads the fleet after entities were created or deleted: they cause no transition that the poller could detect. */
export function useFleetRefresh(): void {
  const { data } = useLoad<Me>('/v1/me');
  const count = data?.use.entities;
  useEffect(() => {
    const known = live.fleet.peek()?.size;
    if (count !== undefined && known !== undefined && count !== known) void live.refresh();
  }, [count]);
}
