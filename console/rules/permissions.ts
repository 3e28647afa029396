import type { Me } from '#console/api/records.ts';
import { denialReason, type Guarded } from '#lib/platform/http/access.ts';

/** Returns why a user lacks `access`; undefined if allowed. The API applies the same rule. */
export const deniedReason = ({ role, is_read_only, key }: Pick<Me, 'role' | 'is_read_only' | 'key'>, access: Guarded) =>
  denialReason({ role, is_read_only, scopes: key?.scopes ?? null }, access)?.message;
