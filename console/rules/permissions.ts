import type { Me } from '#console/api/records.ts';
import { denialReason, type Guarded } from '#lib/platform/http/access.ts';

/**
 * Why somebody may not do what needs `access`, in the API's own words; undefined where they may. The API judges by
 * the same rule (lib/platform/http/access.ts), so this is for telling people before they try.
 */
export const deniedReason = ({ role, is_read_only, key }: Pick<Me, 'role' | 'is_read_only' | 'key'>, access: Guarded) =>
  denialReason({ role, is_read_only, scopes: key?.scopes ?? null }, access)?.message;
