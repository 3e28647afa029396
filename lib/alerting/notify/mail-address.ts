import { type AccountItem, foldedEmail, isDisabled } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Origin } from '#lib/access/context.ts';
import { auditedAddress, type MailAddressItem, mailAddressKey } from '#lib/access/mail-address.ts';
import type { AuditWriter } from '#lib/audit/write.ts';
import type { Letter, LetterRefusal } from '#lib/channels/mail-client.ts';
import { confirmationLetter } from '#lib/channels/types/email.ts';
import type { Env } from '#lib/env.ts';
import { findOneTime, type OneTime, oneTime, useOnce } from '#lib/identity/one-time.ts';
import type { AddressRequest } from '#lib/messages.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';
import { type Bucket, fullBucket, type Rate, refilled, takeFrom } from '#lib/platform/sharing/rates.ts';
import { oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { shorten } from '#lib/platform/text.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { linksAddress } from '#lib/settings.ts';
import { isSignedBy, LINK_PATH, parseSigned, signedToken } from './alert-links.ts';
import { NO_MAIL } from './send.ts';

/** Sends a mail with these headers through the operator's mail server. Only the deliverer has this function. */
type SendMail = (mail: Letter, headers: Record<string, string>) => Promise<LetterRefusal | undefined>;

export type MailEnv = Env & { sendMail?: SendMail | undefined };

export const NO_PUBLIC_URL = 'mail needs links by which recipients confirm; the operator must set PUBLIC_URL';

/** Validity of a confirmation link in ms. */
const REQUEST_MS = 7 * DAY_MS;
/** Time in seconds after which a pending address is forgotten. */
const PENDING_S = 90 * 86_400;

/** Limits per address, over all accounts: of mails to confirmed addresses, and of requests to confirm. */
const TO_ADDRESS = { mails: { burst: 10, per_second: 10 / 60 }, requests: { burst: 5, per_second: 5 / 86_400 } };
/** Limits of requests to confirm per account: to all addresses, and to the same address. */
const REQUESTS = {
  all: { burst: 20, per_second: 20 / 3600 },
  same: { burst: 3, per_second: 1 / (7 * 86_400) },
};

/** Remaining mails and requests of an account, or to an address over all accounts. 200 bytes; expires when unused. */
type MailsItem = Item & { v: string; mails?: Bucket; requests?: Bucket };

type Limit = { key: Key; rate: Rate; of: 'mails' | 'requests'; count: number; error: string };
type Reached = { error: string; retry_ms: number };

/** Returns the writes that count mails or requests against all limits, or the limit that is reached. */
async function take({ ports }: Env, limits: readonly Limit[]): Promise<Write[] | Reached> {
  const items = await ports.table.getMany<MailsItem>(limits.map(({ key }) => key));
  const now = ports.clock.now();
  const writes: Write[] = [];
  for (const [i, { key, rate, of, count, error }] of limits.entries()) {
    const item = items[i];
    const { bucket, status } = takeFrom(refilled(item?.[of] ?? fullBucket(rate, now), rate, now), rate, count);
    if (!status.allowed) return { error, retry_ms: status.retry_s * 1000 };
    const expires_at = Math.ceil((now + DAY_MS) / 1000);
    const put: MailsItem = { ...item, ...key, v: ports.ids.token(), [of]: bucket, expires_at };
    writes.push({ put, if: item ? { version: item.v } : 'absent' });
  }
  return writes;
}

/** Counts a mail per address against the limits. @returns the reached limit, if any; then no mail is counted */
export function takeMails(env: Env, account: AccountItem, addresses: readonly string[]): Promise<Reached | undefined> {
  const { ports, keys } = env;
  const { id, mails_per_hour_limit: limit } = account;
  const ofAccount: Limit = {
    key: keys.mailsOf(id),
    rate: { burst: limit, per_second: limit / 3600 },
    of: 'mails',
    count: addresses.length,
    error: `waits: mails of the account are limited to ${limit} per hour (mails_per_hour_limit)`,
  };
  const toAddress = (address: string): Limit => ({
    key: keys.mailsTo(digestOf(foldedEmail(address))),
    rate: TO_ADDRESS.mails,
    of: 'mails',
    count: 1,
    error: `waits: ${address} received ${TO_ADDRESS.mails.burst} mails in a minute`,
  });
  return oneAtATime(ports.table, ofAccount.key.pk, () =>
    retryOnConflict(ports, async () => {
      const taken = await take(env, [ofAccount, ...addresses.map(toAddress)]);
      if (!Array.isArray(taken)) return taken;
      return (await ports.table.transact(taken)).ok ? undefined : RETRY;
    }),
  );
}

/** Returns the limit that prevents a request to an address now, if any. */
export async function requestLimit(env: Env, item: MailAddressItem): Promise<Reached | undefined> {
  const taken = await takeRequest(env, item);
  return 'error' in taken ? taken : undefined;
}

async function takeRequest(env: Env, item: MailAddressItem): Promise<{ rest: Bucket; writes: Write[] } | Reached> {
  const now = env.ports.clock.now();
  const { requests = fullBucket(REQUESTS.same, now) } = item;
  const { bucket: rest, status } = takeFrom(refilled(requests, REQUESTS.same, now), REQUESTS.same);
  if (!status.allowed) return { error: ASKED, retry_ms: status.retry_s * 1000 };
  const taken = await take(env, limitsOf(env, item));
  return Array.isArray(taken) ? { rest, writes: taken } : taken;
}

const ASKED = 'not asked again: the address was asked several times, or has unsubscribed';

type Confirmation = OneTime & AddressRequest;

/** Whether an address is unconfirmed and was never sent a request. */
export const isUnasked = ({ status, request, asked_at }: MailAddressItem): boolean =>
  status === 'pending' && !request && asked_at === undefined;

/** Enqueues requests to confirm, which the deliverer mails. @param again whether to ask addresses again */
export const enqueueRequests = (
  { ports }: Env<'queues'>,
  tenant_id: string,
  addresses: readonly string[],
  again?: true,
): Promise<void> =>
  ports.queues.send(
    'delivery',
    addresses.map((address) => ({ body: { tenant_id, address, ...(again && { again }) }, group: tenant_id })),
  );

/** Sends an address the mail that asks for its confirmation, unless it has confirmed or a limit is reached. */
export async function askAddress(env: MailEnv, message: AddressRequest): Promise<void> {
  const { ports } = env;
  const { tenant_id, address } = message;
  const token = `fwm_${ports.ids.secret()}`;
  const begun = await retryOnConflict(ports, () => beginRequest(env, message, token));
  if (!begun) return;
  const refusal = await env.sendMail!(letterOf(env, begun, token), {});
  await change(env, tenant_id, address, UNAUDITED, (item) => {
    if (item?.request?.digest !== digestOf(token)) return undefined;
    const { request: _unsent, ...rest } = item;
    return refusal ? { ...rest, error: refusal.error } : { ...item, asked_at: iso(ports.clock.now()) };
  });
}

/** A change by the service is not audited. */
const UNAUDITED = (): Write[] => [];

type Begun = { account: AccountItem; item: MailAddressItem };

/** Records a request with its token before the mail is sent. @returns undefined if no mail is to be sent */
async function beginRequest(
  env: MailEnv,
  { tenant_id, address, again }: AddressRequest,
  token: string,
): Promise<Begun | undefined | typeof RETRY> {
  const { ports, keys } = env;
  const key = mailAddressKey(keys, tenant_id, address);
  const [account, stored] = await ports.table.getMany<[AccountItem, MailAddressItem]>([keys.account(tenant_id), key]);
  if (!account || isDisabled(account) || stored?.status === 'confirmed') return undefined;
  if (stored && !again && !isUnasked(stored)) return undefined;
  const digest = digestOf(token);
  const before = stored ?? newAddress(env, { tenant_id, address });
  const { error: _past, ...kept } = before;
  const problem = !env.sendMail ? NO_MAIL : linksAddress(ports.settings) === '' ? NO_PUBLIC_URL : undefined;
  const taken = problem ? { error: problem } : await takeRequest(env, before);
  const confirmation: Confirmation = oneTime(ports, keys.mailConfirmation(digest), REQUEST_MS, { tenant_id, address });
  const { valid_until } = confirmation;
  const item: MailAddressItem = {
    ...kept,
    v: ports.ids.token(),
    ...(kept.status === 'pending' && { expires_at: pendingUntil(env) }),
    ...('error' in taken ? { error: taken.error } : { requests: taken.rest, request: { digest, valid_until } }),
  };
  const writes: Write[] = [{ put: item, if: stored ? { version: stored.v } : 'absent' }];
  if ('writes' in taken) writes.push({ put: confirmation, if: 'absent' }, ...taken.writes);
  if ('writes' in taken && kept.request) writes.push({ delete: keys.mailConfirmation(kept.request.digest) });
  if (!(await ports.table.transact(writes)).ok) return RETRY;
  return 'writes' in taken ? { account, item } : undefined;
}

const pendingUntil = ({ ports }: Env): number => Math.ceil(ports.clock.now() / 1000) + PENDING_S;

const limitsOf = ({ keys }: Env, { tenant_id, address }: AddressRequest): Limit[] => [
  {
    key: keys.mailsOf(tenant_id),
    rate: REQUESTS.all,
    of: 'requests',
    count: 1,
    error: `not asked yet: the account asked ${REQUESTS.all.burst} addresses in an hour`,
  },
  {
    key: keys.mailsTo(digestOf(foldedEmail(address))),
    rate: TO_ADDRESS.requests,
    of: 'requests',
    count: 1,
    error: `not asked yet: the address was asked ${TO_ADDRESS.requests.burst} times in a day`,
  },
];

/** Returns an address that was not asked yet. */
export function newAddress(
  { ports, keys }: Env,
  { tenant_id, address, added_by = '' }: AddressRequest & { added_by?: string },
): MailAddressItem {
  return {
    ...mailAddressKey(keys, tenant_id, address),
    v: ports.ids.token(),
    expires_at: pendingUntil({ ports, keys }),
    ...{ tenant_id, address, status: 'pending', changed_at: iso(ports.clock.now()), added_by },
  };
}

const letterOf = ({ ports }: MailEnv, { account, item: { address, added_by } }: Begun, token: string): Letter => {
  const service = linksAddress(ports.settings);
  return confirmationLetter({
    ...{ address, service, date: ports.clock.now(), id: digestOf(token).slice(0, 24) },
    by: added_by === '' ? 'A member' : added_by,
    account: plainName(account.name),
    confirm_url: `${service}${LINK_PATH}${CONFIRM_PATH}${token}`,
    unsubscribe_url: unsubscribeUrl(service, account, address),
  });
};

/** Returns a name as shown to a stranger in a mail or page, without characters that could make it a link. */
export const plainName = (name: string): string => shorten(name.replace(/[^\p{L}\p{N}]+/gu, ' ').trim(), 60);

/** Paths of the pages that mails link to, below the path of links in alerts. */
export const CONFIRM_PATH = 'confirm/';
export const UNSUBSCRIBE_PATH = 'unsubscribe/';

/** Returns the URL by which an address ends the mails of an account. It does not expire. */
export const unsubscribeUrl = (service: string, { id, link_key }: AccountItem, address: string): string =>
  `${service}${LINK_PATH}${UNSUBSCRIBE_PATH}${signedToken(link_key, 'unsubscribe', [id, address])}`;

/** An address whose link was opened, with its account. */
type Opened = { account: AccountItem; address: string };

/** Format of a token. Other text is rejected without a lookup. */
const TOKEN = /^fwm_[0-9A-Za-z]{43}$/;

async function findConfirmation({ ports, keys }: Env, token: string) {
  const digest = digestOf(token);
  const one = TOKEN.test(token) ? await findOneTime<Confirmation>(ports, keys.mailConfirmation(digest)) : undefined;
  if (!one) return undefined;
  const [account, item] = await ports.table.getMany<[AccountItem, MailAddressItem]>([
    keys.account(one.tenant_id),
    mailAddressKey(keys, one.tenant_id, one.address),
  ]);
  return account && item?.request?.digest === digest ? { account, address: one.address, item, one } : undefined;
}

/** Returns the address of a confirmation link without confirming it; undefined if it is invalid, used or expired. */
export const openConfirmation = (env: Env, token: string): Promise<Opened | undefined> => findConfirmation(env, token);

type ByLink = Origin & { via: 'link' };

/** Confirms the address of a link, once. @returns undefined if the link is invalid, used or expired */
export function confirmAddress(env: Env, token: string, origin: ByLink): Promise<Opened | undefined> {
  const { ports } = env;
  let auditWrites: AuditWriter<MailAddressItem> | undefined;
  return retryOnConflict(ports, async () => {
    const found = await findConfirmation(env, token);
    if (!found) return undefined;
    auditWrites ??= auditWriter({ ...env, tenant: found.account.id, origin }, 'confirm', auditedAddress);
    const { request: _used, error: _past, expires_at: _pending, ...item } = found.item;
    const changed_at = iso(ports.clock.now());
    const put: MailAddressItem = { ...item, v: ports.ids.token(), status: 'confirmed', changed_at };
    const writes: Write[] = [
      { put, if: { version: found.item.v } },
      useOnce(found.one),
      ...auditWrites(found.item, put),
    ];
    return (await ports.table.transact(writes)).ok ? found : RETRY;
  });
}

/** Returns the address of an unsubscribe link without ending its mails; undefined if the link is invalid. */
export async function openUnsubscribe({ ports, keys }: Env, token: string): Promise<Opened | undefined> {
  const signed = parseSigned(token);
  const [tenant = '', address = '', ...more] = signed?.fields ?? [];
  if (!signed || address === '' || more.length > 0) return undefined;
  const account = await ports.table.get<AccountItem>(keys.account(tenant));
  return account && isSignedBy(account.link_key, 'unsubscribe', signed) ? { account, address } : undefined;
}

/** Ends the mails of an account to an address until its owner confirms again. Repeatable. */
export async function unsubscribe(env: Env, { account, address }: Opened, origin: ByLink): Promise<void> {
  const auditWrites = auditWriter({ ...env, tenant: account.id, origin }, 'unsubscribe', auditedAddress);
  const now = env.ports.clock.now();
  await change(env, account.id, address, auditWrites, (item) => {
    if (item?.status === 'unsubscribed') return undefined;
    const known = item ?? newAddress(env, { tenant_id: account.id, address });
    const { request: _void, error: _past, expires_at: _pending, ...kept } = known;
    return { ...kept, status: 'unsubscribed', changed_at: iso(now), requests: { tokens: 0, at: now } };
  });
}

/** Changes the stored address as `choose` returns; undefined changes nothing. */
function change(
  { ports, keys }: Env,
  tenant: string,
  address: string,
  auditWrites: AuditWriter<MailAddressItem>,
  choose: (item: MailAddressItem | undefined) => MailAddressItem | undefined,
): Promise<void> {
  return retryOnConflict(ports, async () => {
    const item = await ports.table.get<MailAddressItem>(mailAddressKey(keys, tenant, address));
    const next = choose(item);
    if (!next) return undefined;
    const put = { ...next, v: ports.ids.token() };
    const write: Write = { put, if: item ? { version: item.v } : 'absent' };
    return (await ports.table.transact([write, ...auditWrites(item, put)])).ok ? undefined : RETRY;
  });
}
