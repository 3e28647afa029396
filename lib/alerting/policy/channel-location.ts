import type { Keys } from '#lib/keys.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Key } from '#lib/platform/ports.ts';
import type { AccountChannel } from './account-alerting.ts';
import type { Channel, PolicyItem } from './policy.ts';

/** Id prefix of account channels. */
export const ACCOUNT_CHANNEL = 'ach';

/** Whether a channel belongs to the account instead of the policy of its check. */
export const isAccountChannel = (channel_id: string): boolean => isId(ACCOUNT_CHANNEL, channel_id);

export const channelKey = (keys: Keys, tenant: string, check_id: string, channel_id: string): Key =>
  isAccountChannel(channel_id) ? keys.accountChannel(tenant, channel_id) : keys.policy(tenant, check_id);

/** Finds a channel in the item that stores it; undefined if it was deleted. */
export const channelIn = (item: PolicyItem | AccountChannel | undefined, channel_id: string): Channel | undefined =>
  item && 'channels' in item ? item.channels.find(({ id }) => id === channel_id) : item;
