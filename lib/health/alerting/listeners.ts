import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Channel } from '#lib/checks/policy-item.ts';

/** Where a channel leads: two that lead to the same place have the same destination. */
export const destinationOf = ({ id, destination = id }: Pick<Channel, 'id' | 'destination'>): string => destination;

/** Those that know of a failure: all of them, unless its alert is held. */
export const toldOf = <T extends Pick<Channel, 'id'>>(
  { alerts: { held } }: Pick<CheckItem, 'alerts'>,
  channels: readonly T[],
): readonly T[] => (held ? channels.filter(({ id }) => held.told?.includes(id)) : channels);
