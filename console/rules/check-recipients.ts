import type { ListedChannel } from '#console/api/records.ts';

/**
 * Which checks have somebody who is told of them: by a channel of their own, or one of the account that gets the alerts
 * of all checks. One that is meant for some of them tells, as far as a list knows, nobody.
 */
export function checksWithRecipients(channels: readonly ListedChannel[]): (check_id: string) => boolean {
  if (channels.some((one) => one.scope === 'account' && one.enabled && one.applies_to === null)) return () => true;
  const own = new Set(channels.flatMap((one) => (one.scope === 'check' ? [one.check_id] : [])));
  return (check_id) => own.has(check_id);
}
