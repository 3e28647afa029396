import { isSame } from '#lib/audit/write.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type ApiKeyItem, type ApiKeyPointer, auditedKey, type KeyRecord, keyRecord } from './api-key.ts';
import { auditing } from './auditing.ts';
import type { Changing } from './context.ts';
import { endingAt, mustBeAhead } from './key-expiry.ts';
import type { KeyPatch } from './new-key.ts';

/** Changes what is supplied. Throws NOT_FOUND, VALIDATION_ERROR for an expiry that is no nearer. */
export function changeKey(scope: Changing, pointer: ApiKeyPointer, patch: KeyPatch): Promise<KeyRecord> {
  const { ports, keys } = scope;
  const note = auditing(scope, 'update', auditedKey);
  return untilDone(ports, async () => {
    const key = await ports.table.get<ApiKeyItem>(keys.apiKey(pointer.digest));
    if (!key) throw notFound(`API key ${pointer.sk}`);
    const now = ports.clock.now();
    const ending = endingAt(nearer(now, key.valid_until, patch.expires_at));
    const label = patch.label ?? key.label;
    const next: ApiKeyItem = { ...key, ...ending, label, v: ports.ids.token() };
    if (isSame(auditedKey, key, next)) return keyRecord(key, now);
    const outcome = await commit(ports, [
      { put: next, if: { version: key.v } },
      // Deleted with the key alone, so that the version of that holds for it too.
      { put: { ...pointer, ...ending } },
      ...note(key, next),
    ]);
    return outcome.ok ? keyRecord(next, now) : AGAIN;
  });
}

function nearer(now: number, before: number | null, wanted: number | undefined): number | null {
  if (wanted === undefined || wanted === before) return before;
  if (before !== null && wanted > before) {
    throw invalid('expires_at', `may only come nearer than ${iso(before)}; rotate the key for one that lasts longer`);
  }
  mustBeAhead(now, wanted);
  return wanted;
}
