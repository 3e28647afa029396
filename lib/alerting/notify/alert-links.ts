import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountItem } from '#lib/access/account.ts';
import { isOfAccount } from '#lib/alerting/policy/channel-field.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { isId } from '#lib/platform/ids.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { DeliveryItem } from './delivery-item.ts';
import type { AlertLinks } from './make-alert.ts';

/** What a link in an alert is for. */
const ACTIONS = ['acknowledge', 'silence'] as const;
export type LinkAction = (typeof ACTIONS)[number];

/** Who may do what to which failure, and until when (epoch s). `channel_id`: to whom the link was sent. */
export type LinkClaims = {
  action: LinkAction;
  tenant: string;
  check_id: string;
  /** The transition to down that the failure began with. */
  transition_id: string;
  channel_id: string;
  expires_at: number;
};

/** A token as it was given: what it claims, which holds only with its signature. */
type ReadToken = { claims: LinkClaims; text: string; signature: string };

/** So many bytes of an HMAC-SHA-256 are enough (RFC 2104, 5: at least half of it). */
const SIGNATURE_BYTES = 16;

/** Tells these signatures from any other that the same key may make one day. */
const PURPOSE = 'fleetwatch link 1\n';

const signatureOf = (key: string, text: string): Buffer =>
  createHmac('sha256', key).update(PURPOSE).update(text).digest().subarray(0, SIGNATURE_BYTES);

/** A token of letters, digits, `-`, `_` and one dot, some 200 characters. @param key the account's */
export function linkToken(key: string, claims: LinkClaims): string {
  const { action, tenant, check_id, transition_id, channel_id, expires_at } = claims;
  const fields = [ACTIONS.indexOf(action), tenant, check_id, transition_id, channel_id, expires_at];
  const text = Buffer.from(fields.join(' ')).toString('base64url');
  return `${text}.${signatureOf(key, text).toString('base64url')}`;
}

/** What a token claims; undefined for what is none. */
export function readToken(token: string): ReadToken | undefined {
  const parts = /^([\w-]{1,400})\.([\w-]{22})$/.exec(token);
  if (!parts) return undefined;
  const [, text = '', signature = ''] = parts;
  const [action, tenant = '', check_id = '', transition_id = '', channel_id = '', expires = '', ...more] = Buffer.from(
    text,
    'base64url',
  )
    .toString()
    .split(' ');
  const claims = { action: ACTIONS[Number(action)], tenant, check_id, transition_id, channel_id };
  const isChannel = isOfAccount(channel_id) || isId('chn', channel_id);
  const isWhole = isId('acc', tenant) && isId('chk', check_id) && isId('trn', transition_id) && isChannel;
  if (!isWhole || !claims.action || !/^\d{1,12}$/.test(expires) || more.length > 0) return undefined;
  return { claims: { ...claims, action: claims.action, expires_at: Number(expires) }, text, signature };
}

/** Whether this key has signed it, in time that tells nothing of the signature. */
export const isSignedBy = (key: string, { text, signature }: ReadToken): boolean =>
  timingSafeEqual(signatureOf(key, text), Buffer.from(signature, 'base64url'));

/** Below it lie the pages of links in alerts. */
export const LINK_PATH = '/a/';

/** From its alert on, a link is good for so long. */
const GOOD_MS = DAY_MS;

type About = { account: AccountItem; check: CheckItem | undefined; public_url: string; now: number };

/**
 * Pure: what whoever gets an alert about a failure can do with one hand: pages that ask before they do it. None without
 * PUBLIC_URL, and none once the failure is over; who looks after it already is no longer asked for.
 */
export function alertLinks(
  delivery: Pick<DeliveryItem, 'tenant_id' | 'channel_id' | 'created_at' | 'reports_state'>,
  { account, check, public_url, now }: About,
): AlertLinks {
  const episode = check?.alerts.episode;
  const isTrouble = delivery.reports_state === 'down' || delivery.reports_state === 'degraded';
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
