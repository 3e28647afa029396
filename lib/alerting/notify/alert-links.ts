import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountItem } from '#lib/access/account.ts';
import { isAccountChannel } from '#lib/alerting/policy/channel-location.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { canonicalBytes } from '#lib/platform/canonical-base64url.ts';
import { isId } from '#lib/platform/ids.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { DeliveryItem } from './delivery-item.ts';
import type { AlertLinks } from './make-alert.ts';

const ACTIONS = ['acknowledge', 'silence'] as const;
export type LinkAction = (typeof ACTIONS)[number];

/** The claims of a link. `channel_id`: the channel that the link was sent to. `expires_at`: epoch seconds. */
export type LinkClaims = {
  action: LinkAction;
  tenant: string;
  check_id: string;
  /** The transition to down that started the failure. */
  transition_id: string;
  channel_id: string;
  expires_at: number;
};

/** A parsed token; its claims are valid only if the signature is. */
type ParsedToken = Signed & { claims: LinkClaims };

/** Signed fields, and the signature over `text`. */
type Signed = { fields: string[]; text: string; signature: Buffer };

/** Signature length: half of an HMAC-SHA-256 is enough (RFC 2104, section 5). */
const SIGNATURE_BYTES = 16;

/** Kinds of tokens, so that a signature of one kind is not valid for the other. */
const PURPOSES = { link: 'fleetwatch link 1\n', unsubscribe: 'fleetwatch unsubscribe 1\n' };
type Purpose = keyof typeof PURPOSES;

const signatureOf = (key: string, purpose: Purpose, text: string): Buffer =>
  createHmac('sha256', key).update(PURPOSES[purpose]).update(text).digest().subarray(0, SIGNATURE_BYTES);

/** Returns a token of letters, digits, `-`, `_` and one dot. `key`: of the account. `fields`: without spaces. */
export function signedToken(key: string, purpose: Purpose, fields: readonly (string | number)[]): string {
  const text = Buffer.from(fields.join(' ')).toString('base64url');
  return `${text}.${signatureOf(key, purpose, text).toString('base64url')}`;
}

/** Parses a token without checking its signature; undefined if it is malformed or its base64url is not canonical. */
export function parseSigned(token: string): Signed | undefined {
  const [, text = '', signed = ''] = /^([\w-]{1,400})\.([\w-]{22})$/.exec(token) ?? [];
  const [bytes, signature] = [canonicalBytes(text), canonicalBytes(signed)];
  return bytes?.length && signature ? { fields: bytes.toString().split(' '), text, signature } : undefined;
}

/** Returns the token of a link, about 200 characters. @param key key of the account */
export function linkToken(key: string, claims: LinkClaims): string {
  const { action, tenant, check_id, transition_id, channel_id, expires_at } = claims;
  return signedToken(key, 'link', [ACTIONS.indexOf(action), tenant, check_id, transition_id, channel_id, expires_at]);
}

/** Parses the token of a link without checking its signature; undefined if it is not valid. */
export function parseToken(token: string): ParsedToken | undefined {
  const signed = parseSigned(token);
  if (!signed) return undefined;
  const [action, tenant = '', check_id = '', transition_id = '', channel_id = '', expires = '', ...more] =
    signed.fields;
  const claims = { action: ACTIONS[Number(action)], tenant, check_id, transition_id, channel_id };
  const isChannel = isAccountChannel(channel_id) || isId('chn', channel_id);
  const isValid = isId('acc', tenant) && isId('chk', check_id) && isId('trn', transition_id) && isChannel;
  if (!isValid || !claims.action || !/^\d{1,12}$/.test(expires) || more.length > 0) return undefined;
  return { ...signed, claims: { ...claims, action: claims.action, expires_at: Number(expires) } };
}

/** Whether the token was signed with this key for this purpose; compares in constant time. */
export const isSignedBy = (key: string, purpose: Purpose, { text, signature }: Signed): boolean =>
  timingSafeEqual(signatureOf(key, purpose, text), signature);

/** Path prefix of the pages that links in alerts open. */
export const LINK_PATH = '/a/';

/** Lifetime of a link in ms, counted from its alert. */
const LIFETIME_MS = DAY_MS;

type About = { account: AccountItem; check: CheckItem | undefined; public_url: string; now: number };

/** Returns both links; each is null without a present failure, for a recovery, or without `public_url`. Pure. */
export function alertLinks(
  delivery: Pick<DeliveryItem, 'tenant_id' | 'channel_id' | 'created_at' | 'to_state'>,
  { account, check, public_url, now }: About,
): AlertLinks {
  const episode = check?.alerts.episode;
  const isProblem = delivery.to_state === 'down' || delivery.to_state === 'degraded';
  if (public_url === '' || !check || !episode || !isProblem) return { acknowledge_url: null, silence_url: null };
  const { tenant_id: tenant, channel_id, created_at } = delivery;
  const expires_at = Math.floor((Date.parse(created_at) + LIFETIME_MS) / 1000);
  const claims = { tenant, check_id: check.id, transition_id: episode.transition_id, channel_id, expires_at };
  const url = (action: LinkAction) => `${public_url}${LINK_PATH}${linkToken(account.link_key, { action, ...claims })}`;
  return {
    acknowledge_url: acknowledgementAt(check.alerts, now) ? null : url('acknowledge'),
    silence_url: url('silence'),
  };
}
