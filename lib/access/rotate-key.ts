import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import type { ApiKeyItem, ApiKeyPointer, Draw, IssuedKey } from './api-key.ts';
import type { Context } from './context.ts';
import { addKey } from './issue-key.ts';
import { earlier, endingAt, expiryOf, isExpired, nextExpiry } from './key-expiry.ts';
import type { Rotation } from './new-key.ts';

type Rotating = Pick<Context, 'ports' | 'keys' | 'tenant' | 'caller' | 'origin'>;

/**
 * Makes a new key of the same label, scopes and restrictions; the old one expires after the overlap. Only its own user
 * may: whoever gets the raw key acts in the name of that user. Throws FORBIDDEN for another's key, CONFLICT for one
 * that was rotated or has expired, VALIDATION_ERROR, LIMIT_EXCEEDED.
 */
export function rotateKey(scope: Rotating, pointer: ApiKeyPointer, wanted: Rotation): Promise<IssuedKey> {
  const { ports, keys, caller } = scope;
  if (pointer.user_id !== caller.user_id) {
    throw new AppError(
      'FORBIDDEN',
      `API key ${pointer.sk} is another user's. They can rotate it, or you can delete it.`,
    );
  }
  const make = async (draw: Draw) => {
    const old = await ports.table.get<ApiKeyItem>(keys.apiKey(pointer.digest));
    if (!old) throw notFound(`API key ${pointer.sk}`);
    const now = ports.clock.now();
    mustBeRotatable(old, now);
    const { label, is_read_only, scopes, check_ids, entity_ids, skills } = old;
    const expires_at =
      wanted.expires_at === undefined
        ? nextExpiry(now, old, caller.valid_until)
        : expiryOf(now, wanted.expires_at, caller.valid_until);
    const ending = endingAt(earlier(old.valid_until, now + wanted.overlap_seconds * 1000));
    const replaced: ApiKeyItem = { ...old, ...ending, v: ports.ids.token(), rotated_to: draw.id };
    return {
      input: { label, is_read_only, scopes, check_ids, entity_ids, skills, expires_at, rotated_from: old.id },
      beside: [
        { put: replaced, if: { version: old.v } },
        // Deleted with the key alone, so that the version of that holds for it too.
        { put: { ...pointer, ...ending } },
      ] satisfies Write[],
    };
  };
  return addKey(scope, pointer.user_id, make, 'rotate');
}

function mustBeRotatable(old: ApiKeyItem, now: number): void {
  if (old.rotated_to !== null) {
    throw new AppError('CONFLICT', `API key ${old.id} was rotated already; ${old.rotated_to} took its place.`);
  }
  if (old.valid_until !== null && isExpired(old, now)) {
    throw new AppError('CONFLICT', `API key ${old.id} expired on ${iso(old.valid_until)}. Make another.`);
  }
}
