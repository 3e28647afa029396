import type { ListedChannel } from '#console/api/records.ts';

/** Returns a predicate: the check has its own channel, or an enabled account channel applies to all checks. */
export function hasRecipientIn(channels: readonly ListedChannel[]): (check_id: string) => boolean {
  if (channels.some((one) => one.scope === 'account' && one.enabled && one.applies_to === null)) return () => true;
  const own = new Set(channels.flatMap((one) => (one.scope === 'check' ? [one.check_id] : [])));
  return (check_id) => own.has(check_id);
}
