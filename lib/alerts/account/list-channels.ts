import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { ChannelRecord } from '#lib/alerting/configure/policy-schemas.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { isOfAccount } from '#lib/alerting/policy/channel-place.ts';
import { channelsOfChecks } from '#lib/alerts/policy/list-channels.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { AccountChannelRecord } from './channel-schemas.ts';
import { accountChannelViews } from './channel-views.ts';

export const ListedChannel = z.discriminatedUnion('scope', [AccountChannelRecord, ChannelRecord]);
type ListedChannel = z.infer<typeof ListedChannel>;

/** Reads the channels of the account, and behind them those of all checks. */
export function allChannels(context: Context): Reader<ListedChannel> {
  const ofChecks = channelsOfChecks(context);
  return async (after, limit) => {
    if (after !== undefined && !isOfAccount(after)) return ofChecks(after, limit);
    const { channels } = await readAlerting(context, context.tenant);
    const left = channels.filter(({ id }) => after === undefined || id > after);
    const views = await accountChannelViews(context, left.slice(0, limit));
    const found = views.map((value) => ({ at: value.id, value }));
    if (found.length === limit) return { found, next: found.at(-1)!.at };
    const rest = await ofChecks(undefined, limit - found.length);
    return { ...rest, found: [...found, ...rest.found] };
  };
}
