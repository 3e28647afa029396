import type { Me } from '#console/api/records.ts';
import { denialReason, type Guarded, type Rights } from '#lib/platform/http/access.ts';

/** Returns the rights of a user, or of the key of the session. */
export const rightsOf = ({ role, is_read_only, key }: Pick<Me, 'role' | 'is_read_only' | 'key'>): Rights => ({
  role,
  is_read_only,
  scopes: key?.scopes ?? null,
});

/** Returns why a user lacks `access`; undefined if allowed. The API applies the same rule. */
export const deniedReason = (me: Pick<Me, 'role' | 'is_read_only' | 'key'>, access: Guarded) =>
  denialReason(rightsOf(me), access)?.message;
