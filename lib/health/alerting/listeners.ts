import type { Channel } from '#lib/checks/policy-item.ts';
import type { Deadline } from '#lib/schedule/entries.ts';

/** Where a channel leads: two that lead to the same place have the same destination. */
export const destinationOf = ({ id, destination = id }: Pick<Channel, 'id' | 'destination'>): string => destination;

/** Those that know of a failure: all of them, unless its alert is held until its cause is known. */
export function toldOf<T extends Pick<Channel, 'id'>>(
  hold: Deadline | undefined,
  channels: readonly T[],
): readonly T[] {
  const held = hold?.note?.held;
  return held?.reason === 'dependency' ? channels.filter(({ id }) => held.told?.includes(id)) : channels;
}
