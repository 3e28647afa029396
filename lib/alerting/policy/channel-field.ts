import type { Keys } from '#lib/keys.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Key } from '#lib/platform/ports.ts';
import type { AccountChannel } from './account-alerting.ts';
import type { Channel, PolicyItem } from './policy.ts';

/** What prefix the id of a channel of the account has. */
export const ACCOUNT_CHANNEL = 'ach';

/** Whether a channel is the account's; else it is in the policy of its check. */
export const isOfAccount = (channel_id: string): boolean => isId(ACCOUNT_CHANNEL, channel_id);

/** The item that a channel stands in. */
export const channelPlace = (keys: Keys, tenant: string, check_id: string, channel_id: string): Key =>
  isOfAccount(channel_id) ? keys.accountChannel(tenant, channel_id) : keys.policy(tenant, check_id);

/** A channel in the item that it stands in; undefined when it is gone. */
export const channelIn = (item: PolicyItem | AccountChannel | undefined, channel_id: string): Channel | undefined =>
  item && 'channels' in item ? item.channels.find(({ id }) => id === channel_id) : item;
