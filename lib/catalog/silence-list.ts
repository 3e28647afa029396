import { isDeepStrictEqual } from 'node:util';
import type { MutationContext } from '#lib/access/context.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { isSilencedAt, type SilenceSettings, silenceSettingsView } from './silence-settings.ts';

/** Entry of the list of silences, written with the silence of an account, entity, or check; expires with it. */
export type SilenceEntry = Item & {
  scope: 'account' | 'entity' | 'check';
  /** Id of the silence; only in scope `account`. */
  id?: string;
  /** In scopes `entity` and `check`. */
  entity_id?: string;
  /** In scope `check`. */
  check_id?: string;
  /** End, epoch ms; absent: until it is removed. */
  until?: number;
  reason: string;
  created_at: string;
  created_by: string;
};

/** Returns the author of a silence: an e-mail address, an API key by its label, `operator`, or `alert link`. */
export const silencedBy = ({ caller, origin }: MutationContext): string =>
  caller ? caller.user_email || caller.key_label || 'an API key' : origin === 'operator' ? 'operator' : 'alert link';

/** Returns the writes that update the list of silences after a change of an entity or check, if its silence changes. */
export function silenceEntryWrites(
  scope: MutationContext,
  target: { entity_id: string; check_id?: string },
  before: SilenceSettings,
  after: SilenceSettings,
): Write[] {
  const { ports, keys, tenant } = scope;
  const now = ports.clock.now();
  if (isDeepStrictEqual(silenceSettingsView(before, now), silenceSettingsView(after, now))) return [];
  const key = keys.silence(tenant, target.check_id ?? target.entity_id);
  if (!isSilencedAt(after, now)) return [{ delete: key }];
  const until = after.silenced_until === undefined ? undefined : Date.parse(after.silenced_until);
  const put: SilenceEntry = {
    ...key,
    ...(until !== undefined && { until, expires_at: Math.ceil(until / 1000) }),
    scope: target.check_id === undefined ? 'entity' : 'check',
    ...target,
    reason: after.silence_reason ?? '',
    created_at: iso(now),
    created_by: silencedBy(scope),
  };
  return [{ put }];
}
