import type { KeyRecord } from '#lib/access/api-key.ts';
import { requireKey, rotateKey } from '#lib/access/change-key.ts';
import type { Context } from '#lib/access/context.ts';
import { issueKey } from '#lib/access/issue-key.ts';
import { fullKey, type NewKey } from '#lib/access/new-key.ts';
import { keyList } from '#lib/access/store.ts';

/** Returns every key that the account can list. */
export const allKeys = async (context: Context): Promise<KeyRecord[]> =>
  (await keyList(context)(undefined, 1000)).found.map(({ value }) => value);

export const activeKeys = async (context: Context): Promise<KeyRecord[]> =>
  (await allKeys(context)).filter(({ status }) => status === 'active');

export const keyWith = async (context: Context, id: string): Promise<KeyRecord | undefined> =>
  (await allKeys(context)).find((key) => key.id === id);

/** Creates another key of the caller. */
export const issue = (context: Context, more: Partial<NewKey> = {}) =>
  issueKey(context, context.caller.user_id, { ...fullKey('a'), ...more });

export const rotate = async (context: Context, id: string, overlap_seconds = 3600) =>
  rotateKey(context, await requireKey(context, id), { overlap_seconds });
