import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { isSignedBy, type LinkClaims, readToken } from '#lib/alerting/notify/alert-links.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelPlace } from '#lib/alerting/policy/channel-place.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { clockTime } from '#lib/alerts/deliver/duration.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel } from '#lib/checks/label.ts';
import type { Env } from '#lib/env.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';

/** That a link was used: put with what it did, and kept until the link is worth nothing anyway. */
export type UsedLink = Item & { v: string; at: number };

/** A link that still does something. */
export type OpenLink = {
  claims: LinkClaims;
  check: CheckItem;
  entity: EntityItem;
  /** What its failure is called: `Web shop: home page`. */
  name: string;
  /** To whom it was sent: `Slack`, or what a channel of the account is called. */
  sent_to: string;
  /** Where its use is noted. */
  used: Key;
};

/** Why a link does nothing, in a sentence for whoever follows it, and the status of that page. */
type DeadLink = { status: 403 | 404 | 410; why: string };

const dead = (status: DeadLink['status'], why: string): DeadLink => ({ status, why });

const NOT_OURS = dead(
  404,
  'This link is none of this service. It may have been cut off on its way: open it anew from the alert.',
);

/** Looks at what a link is for, and changes nothing: whatever fetches links to show them does no harm. */
export async function openLink({ ports, keys }: Env, token: string): Promise<OpenLink | DeadLink> {
  const read = readToken(token);
  if (!read) return NOT_OURS;
  const { claims, signature } = read;
  const { tenant, check_id, channel_id, transition_id } = claims;
  const used = keys.usedLink(tenant, signature);
  const [account, use, check, place] = await ports.table.getMany<
    [AccountItem, UsedLink, CheckItem, PolicyItem | AccountChannel]
  >([keys.account(tenant), used, keys.check(tenant, check_id), channelPlace(keys, tenant, check_id, channel_id)]);
  if (!account || !isSignedBy(account.link_key, read)) return NOT_OURS;
  if (isDisabled(account)) return dead(403, 'The account of this link is disabled.');
  const now = ports.clock.now();
  if (claims.expires_at * 1000 <= now)
    return dead(410, `This link was good until ${clockTime(iso(claims.expires_at * 1000))}. Nothing was changed.`);
  if (use)
    return dead(
      410,
      `This link was used at ${clockTime(iso(use.at))}. Each link works once; nothing more was changed.`,
    );
  const channel = channelIn(place, channel_id);
  const entity = check && (await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id)));
  if (!check || !entity) return dead(410, 'The check that this link is about was deleted.');
  if (!channel) return dead(410, 'The channel that this link was sent to was removed. Nothing was changed.');
  const name = `${entity.name}: ${checkLabel(check)}`;
  if (check.alerts.episode?.transition_id !== transition_id) {
    const since = check.alerts.episode
      ? 'it has failed anew since, which has links of its own'
      : `it is ${check.state}`;
    return dead(410, `The failure of ${name} that this link is about is over: ${since}. Nothing was changed.`);
  }
  const by = claims.action === 'acknowledge' ? acknowledgementAt(check.alerts, now) : undefined;
  if (by) return dead(410, `${name} was acknowledged at ${clockTime(iso(by.at))}: ${by.by}. Nothing was changed.`);
  const sent_to =
    'name' in channel ? String(channel.name) : (channelTypeOf(channel.channel_type)?.title ?? 'a channel');
  return { claims, check, entity, name, sent_to, used };
}
