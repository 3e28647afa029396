import { isSame } from '#lib/audit/write.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { UserItem } from './account.ts';
import {
  type ApiKeyItem,
  type ApiKeyPointer,
  assertKeyExpiry,
  auditedKey,
  earlier,
  endingAt,
  expiryOf,
  type GeneratedApiKey,
  type IssuedKey,
  isExpired,
  isForgotten,
  type KeyRecord,
  keyRecord,
  nextExpiry,
} from './api-key.ts';
import { auditWriter } from './audit-writer.ts';
import type { Context, MutationContext, TenantScope } from './context.ts';
import { addKey } from './issue-key.ts';
import type { KeyPatch, Rotation } from './new-key.ts';

/** Changes a key. Throws NOT_FOUND, VALIDATION_ERROR for an expiry after the current one or under a minute ahead. */
export function changeKey(scope: MutationContext, pointer: ApiKeyPointer, patch: KeyPatch): Promise<KeyRecord> {
  const { ports, keys } = scope;
  const auditWrites = auditWriter(scope, 'update', auditedKey);
  return retryOnConflict(ports, async () => {
    const key = await ports.table.get<ApiKeyItem>(keys.apiKey(pointer.digest));
    if (!key) throw notFound(`API key ${pointer.sk}`);
    const now = ports.clock.now();
    const ending = endingAt(earlierExpiry(now, key.valid_until, patch.expires_at));
    const label = patch.label ?? key.label;
    const next: ApiKeyItem = { ...key, ...ending, label, v: ports.ids.token() };
    if (isSame(auditedKey, key, next)) return keyRecord(key, now);
    const outcome = await commit(ports, [
      { put: next, if: { version: key.v } },
      // The pointer is deleted only with its key, so the condition on the key covers it too.
      { put: { ...pointer, ...ending } },
      ...auditWrites(key, next),
    ]);
    return outcome.ok ? keyRecord(next, now) : RETRY;
  });
}

function earlierExpiry(now: number, before: number | null, wanted: number | undefined): number | null {
  if (wanted === undefined || wanted === before) return before;
  if (before !== null && wanted > before) {
    throw invalid('expires_at', `must not be later than ${iso(before)}; to extend a key, rotate it`);
  }
  assertKeyExpiry(now, wanted);
  return wanted;
}

type Rotating = Pick<Context, 'ports' | 'keys' | 'tenant' | 'caller' | 'origin'>;

/** Replaces a key of the caller by a new one. Throws FORBIDDEN, CONFLICT, VALIDATION_ERROR, LIMIT_EXCEEDED. */
export function rotateKey(scope: Rotating, pointer: ApiKeyPointer, wanted: Rotation): Promise<IssuedKey> {
  const { ports, keys, caller } = scope;
  if (pointer.user_id !== caller.user_id) {
    throw new AppError(
      'FORBIDDEN',
      `API key ${pointer.sk} belongs to another user. That user can rotate it, or you can delete it.`,
    );
  }
  const make = async (draw: GeneratedApiKey) => {
    const old = await ports.table.get<ApiKeyItem>(keys.apiKey(pointer.digest));
    if (!old) throw notFound(`API key ${pointer.sk}`);
    const now = ports.clock.now();
    assertRotatable(old, now);
    const { label, is_read_only, scopes, check_ids, entity_ids, skills } = old;
    const expires_at =
      wanted.expires_at === undefined
        ? nextExpiry(now, old, caller.valid_until)
        : expiryOf(now, wanted.expires_at, caller.valid_until);
    const ending = endingAt(earlier(old.valid_until, now + wanted.overlap_seconds * 1000));
    const replaced: ApiKeyItem = { ...old, ...ending, v: ports.ids.token(), rotated_to: draw.id };
    // The pointer is deleted only with its key, so the condition on the key covers both writes.
    return {
      input: { label, is_read_only, scopes, check_ids, entity_ids, skills, expires_at, rotated_from: old.id },
      more_writes: [{ put: replaced, if: { version: old.v } }, { put: { ...pointer, ...ending } }] satisfies Write[],
    };
  };
  return addKey(scope, pointer.user_id, make, 'rotate');
}

function assertRotatable(old: ApiKeyItem, now: number): void {
  if (old.rotated_to !== null) {
    throw new AppError('CONFLICT', `API key ${old.id} was already rotated and replaced by ${old.rotated_to}.`);
  }
  if (old.valid_until !== null && isExpired(old, now)) {
    throw new AppError('CONFLICT', `API key ${old.id} expired on ${iso(old.valid_until)}. Create another one.`);
  }
}

/** Finds the pointer of a key that the caller may see: their own, or any for an admin. Throws NOT_FOUND. */
export async function requireKey(
  { ports, keys, tenant, caller }: TenantScope & { caller: Pick<Context['caller'], 'role' | 'user_id'> },
  id: string,
): Promise<ApiKeyPointer> {
  const pointer = await ports.table.get<ApiKeyPointer>(keys.apiKeyPointer(tenant, id));
  const isVisible = pointer && (caller.role === 'admin' || pointer.user_id === caller.user_id);
  if (!isVisible || isForgotten(pointer, ports.clock.now())) throw notFound(`API key ${id}`);
  return pointer;
}

/** Deletes a key. Once this returns, requests with the key are rejected. */
export async function deleteKey(scope: MutationContext, pointer: ApiKeyPointer): Promise<void> {
  const { ports, keys, tenant } = scope;
  const auditWrites = auditWriter(scope, 'delete', auditedKey);
  const itemKey = keys.apiKey(pointer.digest);
  await retryOnConflict(ports, async () => {
    const [key, user] = await ports.table.getMany<[ApiKeyItem, UserItem]>([
      itemKey,
      keys.user(tenant, pointer.user_id),
    ]);
    if (!key) return true;
    const writes: Write[] = [
      // Conditional on the version, so that only one of two concurrent deletions counts.
      { delete: itemKey, if: { version: key.v } },
      { delete: keys.apiKeyPointer(tenant, pointer.sk) },
      ...auditWrites(key, undefined),
    ];
    // The stored number possibly excludes an expired key already (keyCountOf in issue-key.ts).
    if (user && !isExpired(key, ports.clock.now())) {
      const put: UserItem = { ...user, v: ports.ids.token(), keys: user.keys - 1 };
      writes.push({ put, if: { version: user.v } });
    }
    const outcome = await commit(ports, writes);
    return outcome.ok ? true : RETRY;
  });
}
