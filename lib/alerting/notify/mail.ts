import type { AccountItem } from '#lib/access/account.ts';
import { type MailAddressItem, mailAddressKey } from '#lib/access/mail-address.ts';
import type { Letter, LetterRefusal } from '#lib/channels/mail-client.ts';
import { addressed } from '#lib/channels/types/email.ts';
import { linksAddress } from '#lib/settings.ts';
import { enqueueRequests, isUnasked, type MailEnv, NO_PUBLIC_URL, takeMails, unsubscribeUrl } from './mail-address.ts';
import { type Mail, NO_MAIL, type Refusal } from './send.ts';

/** Pause in ms after a mail server asked to try later. */
const MAIL_PAUSE_MS = 60_000;

/** Returns the function that sends a mail to each confirmed address, and asks new addresses to confirm. */
export const mailBy =
  (env: MailEnv): Mail =>
  (letter, account, marks) =>
    sendMails(env, letter, account, marks);

async function sendMails(
  env: MailEnv,
  letter: Letter,
  account: AccountItem,
  marks: Record<string, string>,
): Promise<Refusal | undefined> {
  const { ports, keys, sendMail } = env;
  if (!sendMail) return { error: NO_MAIL };
  const service = linksAddress(ports.settings);
  if (service === '') return { error: NO_PUBLIC_URL, final: true };
  const items = await ports.table.getMany<MailAddressItem>(
    letter.to.map((address) => mailAddressKey(keys, account.id, address)),
  );
  const unasked = letter.to.filter((_, i) => !items[i] || isUnasked(items[i]));
  if (unasked.length > 0) await enqueueRequests(env, account.id, unasked);
  const confirmed = letter.to.filter((_, i) => items[i]?.status === 'confirmed');
  const skipped = letter.to.flatMap((address, i) => problemOf(address, items[i]) ?? []);
  if (confirmed.length === 0) return { error: `not sent: ${skipped.join('; ')}`, final: true };
  const reached = await takeMails(env, account, confirmed);
  if (reached) return { error: reached.error, limited_ms: reached.retry_ms };
  const outcomes = await Promise.all(
    confirmed.map(async (address, i) => {
      const unsubscribe_url = unsubscribeUrl(service, account, address);
      const own = { ...letter, id: `${letter.id}.${i + 1}` };
      const mail = addressed(own, { address, account: account.name, service, unsubscribe_url });
      return { address, refusal: await sendMail(mail, marks) };
    }),
  );
  return summary(outcomes, skipped);
}

function problemOf(address: string, item: MailAddressItem | undefined): string | undefined {
  if (item?.status === 'confirmed') return undefined;
  return item?.status === 'unsubscribed' ? `${address} has unsubscribed` : `${address} is not confirmed`;
}

/** Returns the outcome of all mails; undefined if every address received one. */
function summary(
  outcomes: readonly { address: string; refusal: LetterRefusal | undefined }[],
  skipped: readonly string[],
): Refusal | undefined {
  const refused = outcomes.flatMap(({ address, refusal }) => (refusal ? [{ address, ...refusal }] : []));
  const [first, ...more] = refused;
  if (!first && skipped.length === 0) return undefined;
  const all = [...refused.map(({ address, error }) => `${address}: ${error}`), ...skipped].join('; ');
  if (refused.length < outcomes.length) return { error: `not sent to all addresses: ${all}`, partly: true };
  const error = more.length + skipped.length === 0 ? first!.error : all;
  const timed_out = refused.every((one) => one.timed_out);
  return { error, timed_out, ...(refused.some(({ later }) => later) && { retry_after_ms: MAIL_PAUSE_MS }) };
}
