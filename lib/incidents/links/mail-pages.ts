import { isDisabled } from '#lib/access/account.ts';
import type { Origin } from '#lib/access/context.ts';
import {
  CONFIRM_PATH,
  confirmAddress,
  openConfirmation,
  openUnsubscribe,
  plainName,
  UNSUBSCRIBE_PATH,
  unsubscribe,
} from '#lib/alerting/notify/mail-address.ts';
import type { Env } from '#lib/env.ts';

/** The page of a link: text and a button. `asksName`: its form has a field for the name of the user. */
export type LinkPage = { status: number; title: string; says: string[]; button?: string; asksName?: boolean };

type Visit = { isPost: boolean; origin: Origin & { via: 'link' } };

/**
 * Returns the page of a mail link that confirms an address or unsubscribes it; undefined for other links. The secret in
 * the link is the only proof, because mail programs unsubscribe with a POST that bypasses the page (RFC 8058).
 */
export async function mailPage(env: Env, path: string, visit: Visit): Promise<LinkPage | undefined> {
  if (path.startsWith(CONFIRM_PATH)) return confirmPage(env, path.slice(CONFIRM_PATH.length), visit);
  if (path.startsWith(UNSUBSCRIBE_PATH)) return unsubscribePage(env, path.slice(UNSUBSCRIBE_PATH.length), visit);
  return undefined;
}

async function confirmPage(env: Env, token: string, { isPost, origin }: Visit): Promise<LinkPage> {
  const opened = await openConfirmation(env, token);
  if (!opened) return USED;
  const { account, address } = opened;
  const name = plainName(account.name);
  if (isDisabled(account)) return { status: 403, title: UNUSABLE, says: ['The account of this link is disabled.'] };
  if (!isPost) {
    return {
      status: 200,
      title: `Receive alerts of ${name}?`,
      says: [`The account ${name} can then send mails to ${address}. Each mail has a link to unsubscribe.`],
      button: 'Confirm',
    };
  }
  if (!(await confirmAddress(env, token, origin))) return USED;
  const says = [`${address} now receives alerts of the account ${name}.`];
  return { status: 200, title: 'The address is confirmed', says };
}

async function unsubscribePage(env: Env, token: string, { isPost, origin }: Visit): Promise<LinkPage> {
  const opened = await openUnsubscribe(env, token);
  if (!opened) return { status: 404, title: UNUSABLE, says: ['Invalid link, possibly truncated.'] };
  const { account, address } = opened;
  const name = plainName(account.name);
  if (!isPost) {
    return {
      status: 200,
      title: `Unsubscribe from ${name}?`,
      says: [
        `The account ${name} can then send no mails to ${address} until the owner of the address confirms it again.`,
      ],
      button: 'Unsubscribe',
    };
  }
  await unsubscribe(env, opened, origin);
  const says = [`${address} receives no more mails of the account ${name}.`];
  return { status: 200, title: 'The address is unsubscribed', says };
}

const UNUSABLE = 'This link cannot be used';

const USED: LinkPage = {
  status: 410,
  title: UNUSABLE,
  says: ['This link was used, has expired, was replaced by a newer one, or is truncated. Nothing was changed.'],
};
