import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, TenantEnv } from '#lib/access/context.ts';
import { auditedAddress, type MailAddressItem, mailAddressKey } from '#lib/access/mail-address.ts';
import { enqueueRequests, newAddress, plainName, requestLimit } from '#lib/alerting/notify/mail-address.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import { mailAddressesIn } from '#lib/channels/registry.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { route } from '#lib/platform/http/route.ts';
import { commit } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';

const MailAddress = z
  .object({
    address: z.string().describe('E-mail address.'),
    status: z
      .enum(['confirmed', 'pending', 'unsubscribed'])
      .describe(
        'confirmed: receives alerts. pending: its owner has not confirmed yet. unsubscribed: its owner ended the mails of this account. Only confirmed addresses receive alerts.',
      ),
    asked_at: z.iso
      .datetime()
      .nullable()
      .describe('Time of the last mail that asks for the confirmation; null before the first.'),
    error: z.string().describe('Reason if the last confirmation mail was not sent; else empty.'),
  })
  .meta({ id: 'MailAddress' });
type MailAddress = z.infer<typeof MailAddress>;

export const MailAddresses = z
  .array(MailAddress)
  .nullable()
  .describe('Addresses of an email channel; null for other types.');

const addressView = (address: string, item: MailAddressItem | undefined): MailAddress => ({
  address,
  status: item?.status ?? 'pending',
  asked_at: item?.asked_at ?? null,
  error: item?.error ?? '',
});

type Settings = Pick<Channel, 'channel_type' | 'config'>;

/** Reads the addresses of channels, in their order; null for a channel without mail. */
export async function addressesOf(
  { ports, keys, tenant }: TenantEnv,
  channels: readonly Settings[],
): Promise<(MailAddress[] | null)[]> {
  const lists = channels.map(mailAddressesIn);
  const all = lists.flatMap((list) => list ?? []);
  const items = await ports.table.getMany<MailAddressItem>(all.map((one) => mailAddressKey(keys, tenant, one)));
  const found = new Map(all.map((address, i) => [address, addressView(address, items[i])]));
  return lists.map((list) => list?.map((address) => found.get(address)!) ?? null);
}

/** Asks the new addresses of a stored channel to confirm. If a crash prevents this, the first alert asks them. */
export async function askNewAddresses(context: Context, channel: Settings): Promise<void> {
  const { ports, keys, tenant, caller } = context;
  const addresses = [...new Set(mailAddressesIn(channel))];
  const items = await ports.table.getMany<MailAddressItem>(addresses.map((one) => mailAddressKey(keys, tenant, one)));
  const fresh = addresses.filter((_, i) => items[i] === undefined);
  if (fresh.length === 0) return;
  const added_by = authorOf(caller);
  const puts = fresh.map((address) => newAddress(context, { tenant_id: tenant, address, added_by }));
  // On a conflict, another caller has added at least one; askAddress adds the rest, without an author.
  await ports.table.transact(puts.map((put) => ({ put, if: 'absent' as const })));
  // A failure is only logged: after an error, the caller would repeat the request and create the channel twice.
  await enqueueRequests(context, tenant, fresh).catch((error) => {
    ports.log.warn('addresses not asked, will be asked with the first alert', { tenant_id: tenant, error });
  });
}

/** Returns the author for a mail to a stranger, without text that a mail program could turn into a link. */
function authorOf({ user_email, key_label }: Pick<Context['caller'], 'user_email' | 'key_label'>): string {
  const user = z.email().safeParse(user_email).success ? user_email : 'A member';
  const key = plainName(key_label);
  return key === '' ? user : `${user} (key ${key})`;
}

const AddressBody = z.object({ address: z.string().max(254).describe('Address of an email channel.') });

/** Asks an address of a channel again. @throws AppError NOT_FOUND, CONFLICT if it has confirmed, RATE_LIMITED */
async function askAgain(context: Context, address: string): Promise<MailAddress> {
  const { ports, keys, tenant } = context;
  const item = await ports.table.get<MailAddressItem>(mailAddressKey(keys, tenant, address));
  if (!item) throw notFound(`Address ${address}`);
  if (item.status === 'confirmed') throw new AppError('CONFLICT', `${item.address} has confirmed already.`);
  const reached = await requestLimit(context, item);
  if (reached) {
    const { error, retry_ms } = reached;
    throw new AppError(
      'RATE_LIMITED',
      `${item.address}: ${error}. The next request is possible at ${iso(ports.clock.now() + retry_ms)}; a link of ` +
        'the last mail is valid for 7 days, unless the address has unsubscribed since.',
      { headers: { 'retry-after': String(retry_ms / 1000) } },
    );
  }
  await commit(ports, auditWriter(context, 'ask', auditedAddress)(item, item, { asked_at: iso(ports.clock.now()) }));
  await enqueueRequests(context, tenant, [item.address], true);
  return addressView(item.address, item);
}

const endpoint = route<Context>();

export const mailAddressRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/notify/addresses/ask',
    access: 'respond',
    rate: 'send',
    summary: 'Ask an e-mail address again to confirm',
    description:
      'Sends the mail with the confirmation link in the background. An account can ask an address three times in a row, then once a week.',
    status: 200,
    body: AddressBody,
    reply: MailAddress,
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: (context, { body }) => askAgain(context, body.address),
  }),
];
