import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type Rhythm, rhythmOf } from '#lib/schedule/slots.ts';

/**
 * From when (epoch ms) which rhythm held for a check: what was due in the past, for its gaps. Written with each
 * settings revision, about 200 bytes; the content follows from the key.
 */
export type RevisionItem = Item & { rev: number; from: number; enabled: boolean; rhythm: Rhythm };

export const revisionItem = (keys: Keys, check: CheckItem): RevisionItem => ({
  ...keys.revision(check.tenant_id, check.id, check.rev),
  rev: check.rev,
  from: check.settings_at,
  enabled: check.enabled,
  rhythm: rhythmOf(check.id, check.interval_seconds),
});
