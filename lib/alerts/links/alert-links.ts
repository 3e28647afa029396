import type { AccountItem } from '#lib/access/account.ts';
import { type LinkAction, linkToken } from '#lib/alerting/notify/alert-links.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { AlertLinks } from '#lib/alerting/notify/make-alert.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { LINK_PATH } from './path.ts';

/** From its alert on, a link is good for so long. */
const GOOD_MS = DAY_MS;

type About = { account: AccountItem; check: CheckItem | undefined; public_url: string; now: number };

/**
 * Pure: what whoever gets an alert about a failure can do with one hand: pages that ask before they do it. None without
 * PUBLIC_URL, and none once the failure is over; who looks after it already is no longer asked for.
 */
export function alertLinks(
  delivery: Pick<DeliveryItem, 'tenant_id' | 'channel_id' | 'created_at' | 'announces'>,
  { account, check, public_url, now }: About,
): AlertLinks {
  const episode = check?.alerts.episode;
  const isTrouble = delivery.announces === 'down' || delivery.announces === 'degraded';
  if (public_url === '' || !check || !episode || !isTrouble) return { acknowledge_url: null, silence_url: null };
  const { tenant_id: tenant, channel_id, created_at } = delivery;
  const expires_at = Math.floor((Date.parse(created_at) + GOOD_MS) / 1000);
  const claims = { tenant, check_id: check.id, transition_id: episode.transition_id, channel_id, expires_at };
  const url = (action: LinkAction) => `${public_url}${LINK_PATH}${linkToken(account.link_key, { action, ...claims })}`;
  return {
    acknowledge_url: acknowledgementAt(check.alerts, now) ? null : url('acknowledge'),
    silence_url: url('silence'),
  };
}
