import { AppError } from '#lib/platform/errors.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { type AccountItem, accountDisabled, isDisabled, type UserItem } from './account.ts';
import {
  type ApiKeyItem,
  auditedKey,
  digestOf,
  expiryOf,
  type GeneratedApiKey,
  generateApiKey,
  type IssuedKey,
  isExpired,
  keyItemsOf,
  keyRecord,
} from './api-key.ts';
import { auditWriter } from './audit-writer.ts';
import type { MutationContext, TenantScope } from './context.ts';
import type { NewKey } from './new-key.ts';
import { firstAdmin, keyPointersOf, requireAccount } from './store.ts';

/** Creates a key that ends by `makerExpiry` (epoch ms; null: no limit). Throws VALIDATION_ERROR, and as `addKey`. */
export async function issueKey(
  scope: MutationContext,
  userId: string,
  input: NewKey,
  makerExpiry: number | null = null,
): Promise<IssuedKey> {
  const expires_at = expiryOf(scope.ports.clock.now(), input.expires_at, makerExpiry);
  await assertRestrictionExists(scope, input);
  return addKey(scope, userId, async () => ({ input: { ...input, expires_at } }));
}

type KeyCreation = { input: NewKey & { rotated_from?: string }; more_writes?: Write[] };

/** Adds a key; retries if user or account change meanwhile. Throws UNAUTHORIZED, ACCOUNT_DISABLED, LIMIT_EXCEEDED. */
export function addKey(
  scope: MutationContext,
  userId: string,
  make: (draw: GeneratedApiKey) => Promise<KeyCreation>,
  verb: 'create' | 'rotate' = 'create',
): Promise<IssuedKey> {
  const { ports, keys, tenant } = scope;
  const draw = generateApiKey(ports.ids);
  const auditWrites = auditWriter(scope, verb, auditedKey);
  const attempt = async (tries: number) => {
    const before = tries > 0 ? await ports.table.get<ApiKeyItem>(keys.apiKey(digestOf(draw.raw))) : undefined;
    // An earlier attempt succeeded, but its response was lost.
    if (before) return { ...keyRecord(before, ports.clock.now()), key: draw.raw };
    const account = await requireAccount(scope);
    if (isDisabled(account)) throw accountDisabled();
    const user = await ports.table.get<UserItem>(keys.user(tenant, userId));
    if (!user) throw userRemoved();
    const { input, more_writes = [] } = await make(draw);
    const counted: UserItem = { ...user, v: ports.ids.token(), keys: (await keyCountOf(scope, user, account)) + 1 };
    const now = ports.clock.now();
    const { item, pointer } = keyItemsOf(draw, now, keys, account, user, input);
    const outcome = await commit(ports, [
      { put: item, if: 'absent' },
      { put: pointer, if: 'absent' },
      { check: keys.account(tenant), if: { version: account.v } },
      // Changes the version of the user, so that a concurrent removal retries and includes this key.
      { put: counted, if: { version: user.v } },
      ...more_writes,
      ...auditWrites(undefined, item),
    ]);
    return outcome.ok ? { ...keyRecord(item, now), key: draw.raw } : RETRY;
  };
  // Queues after team changes of this process, so that creating keys conflicts less with the removal of their user.
  return oneAtATime(ports.table, keys.users(tenant), () => retryOnConflict(ports, attempt));
}

/** Returns the stored key count of a user or, at the limit, a count without expired keys. Throws LIMIT_EXCEEDED. */
async function keyCountOf(
  scope: TenantScope,
  user: UserItem,
  { key_limit_per_user: limit }: AccountItem,
): Promise<number> {
  if (user.keys < limit) return user.keys;
  const now = scope.ports.clock.now();
  const live = (await keyPointersOf(scope, user.id)).filter((pointer) => !isExpired(pointer, now)).length;
  if (live < limit) return live;
  throw new AppError(
    'LIMIT_EXCEEDED',
    `The user already has the maximum of ${limit} API keys (key_limit_per_user). Delete an unused one; see last_used_at.`,
  );
}

async function assertRestrictionExists(
  { ports, keys, tenant }: TenantScope,
  { check_ids, entity_ids, skills }: NewKey,
): Promise<void> {
  const named = [
    ...(check_ids ?? []).map((id, i) => ({ path: `check_ids.${i}`, type: 'check', key: keys.check(tenant, id) })),
    ...(entity_ids ?? []).map((id, i) => ({ path: `entity_ids.${i}`, type: 'entity', key: keys.entity(tenant, id) })),
    ...(skills ?? []).map((slug, i) => ({ path: `skills.${i}`, type: 'skill', key: keys.skill(tenant, slug) })),
  ];
  if (named.length === 0) return;
  const found = await ports.table.getMany(named.map(({ key }) => key));
  const missing = named.filter((_, i) => !found[i]);
  if (missing.length === 0) return;
  throw refusal(missing.map(({ path, type }) => ({ path, message: `this account has no such ${type}` })));
}

export const userRemoved = (): AppError => new AppError('UNAUTHORIZED', 'The user of this key was removed.');

/** Creates a key of the oldest admin, for an operator whose tenant has lost all keys. */
export async function issueAdminKey(scope: MutationContext, input: NewKey): Promise<IssuedKey> {
  await requireAccount(scope);
  return issueKey(scope, (await firstAdmin(scope)).id, input);
}
