import type { Me } from '#console/api/records.ts';
import { type Guarded, refusalOf } from '#lib/platform/http/access.ts';

/**
 * Why somebody may not do what needs `access`, in the API's own words; undefined where they may. The API judges by
 * the same rule (lib/platform/http/access.ts), so this is for telling people before they try.
 */
export const whyNot = ({ role, is_read_only, key }: Pick<Me, 'role' | 'is_read_only' | 'key'>, access: Guarded) =>
  refusalOf({ role, is_read_only, scopes: key?.scopes ?? null }, access)?.message;
