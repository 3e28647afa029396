import { useEffect } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Me } from '#console/api/records.ts';
import { live } from './live.ts';

/**
 * Entities that were made or deleted elsewhere change no state, so that the poller sees them late. A page that is about
 * which there are asks how many that is, and has the fleet read anew where it is another number.
 */
export function useWholeFleet(): void {
  const { data } = useLoad<Me>('/v1/me');
  const count = data?.use.entities;
  useEffect(() => {
    const known = live.fleet.peek()?.size;
    if (count !== undefined && known !== undefined && count !== known) void live.refresh();
  }, [count]);
}
