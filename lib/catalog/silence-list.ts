import { isDeepStrictEqual } from 'node:util';
import type { MutationContext } from '#lib/access/context.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { isSilencedAt, type SilenceSettings, silenceSettingsView } from './silence-settings.ts';

/** Entry of the list of silences, written with the silence of an account, entity, or check; expires with it. */
export type SilenceEntry = Item & {
  scope: 'account' | 'entity' | 'check';
  /** Account: id of the silence. */
  id?: string;
  /** Entity and check: the entity. */
  entity_id?: string;
  check_id?: string;
  /** Epoch ms; absent: until it is lifted. */
  until?: number;
  reason: string;
  created_at: string;
  created_by: string;
};

/** Returns the author of a silence: an e-mail address, the label of a key, `operator`, or `alert link`. */
export const silencedBy = ({ caller, origin }: MutationContext): string =>
  caller ? caller.user_email || caller.key_label || 'an API key' : origin === 'operator' ? 'operator' : 'alert link';

/** Returns the writes that list the silence of an entity or check after a change; none if it is as before. */
export function silenceEntryWrites(
  scope: MutationContext,
  about: { entity_id: string; check_id?: string },
  before: SilenceSettings,
  after: SilenceSettings,
): Write[] {
  const { ports, keys, tenant } = scope;
  const now = ports.clock.now();
  if (isDeepStrictEqual(silenceSettingsView(before, now), silenceSettingsView(after, now))) return [];
  const place = keys.silence(tenant, about.check_id ?? about.entity_id);
  if (!isSilencedAt(after, now)) return [{ delete: place }];
  const until = after.silenced_until === undefined ? undefined : Date.parse(after.silenced_until);
  const put: SilenceEntry = {
    ...place,
    ...(until !== undefined && { until, expires_at: Math.ceil(until / 1000) }),
    scope: about.check_id === undefined ? 'entity' : 'check',
    ...about,
    reason: after.silence_reason ?? '',
    created_at: iso(now),
    created_by: silencedBy(scope),
  };
  return [{ put }];
}
