import { isDeepStrictEqual } from 'node:util';
import { POLICY_NAMES } from '#lib/alerting/policy/settings.ts';
import type { AuditItem } from '#lib/audit/entry.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type Change, type Commit, type Inside, isCheckKey } from './inside.ts';

/**
 * Promise: every change by a user is recorded in the audit log once, in the transaction of the change; nothing else is
 * recorded, and no entry changes.
 */
export function checkAudit({ seen }: Inside): string[] {
  const wrong: string[] = [];
  const recorded = new Map<string, string>();
  for (const commit of seen.commits) {
    const changed = commit.changes.flatMap((change) => changeByUser(change) ?? []);
    const entries = commit.changes.filter(({ key }) => key.pk.includes('#AUDIT#'));
    const isReclaimed = seen.runs.get(commit.run ?? 0)?.function === 'housekeeper';
    const wanted = changed.length > 0 && !isReclaimed ? 1 : 0;
    if (entries.length !== wanted) wrong.push(`${entries.length} audit entries for ${describe(commit, changed)}`);
    for (const { key, before, after } of entries) {
      if (before) wrong.push(`the audit entry ${key.sk} was overwritten at ${commit.at}`);
      const { id, request_id, actor, action } = (after ?? {}) as Partial<AuditItem>;
      if (request_id === null || request_id === undefined) continue;
      // One ping can create an entity and then its check, with an entry for each.
      const what = actor?.key_id?.startsWith('pky_') ? action : '';
      // Two accounts can use the same request id.
      const name = `${key.pk.split('#')[1]} ${request_id} ${what}`;
      const other = recorded.get(name);
      if (other !== undefined) wrong.push(`the request ${request_id} was recorded as ${other} and as ${id}`);
      recorded.set(name, id!);
    }
  }
  return wrong;
}

const describe = ({ at }: Commit, changed: string[]): string =>
  `${changed.length > 0 ? `the change of ${changed.join(', ')}` : 'a commit without a user change'} at ${at}`;

const SILENCE = ['silenced', 'silenced_until', 'silence_reason'];

/** Attributes that users set, by kind of item. */
const SETTINGS: [is: (key: Change['key']) => boolean, members: string[]][] = [
  [({ sk }) => sk === 'ACCOUNT', ['disabled', 'deleted_at', 'name', 'email']],
  [({ pk, sk }) => pk.endsWith('#BLUEPRINTS') && sk.startsWith('B#'), ['name', 'description', 'fields']],
  [({ pk }) => pk.includes('#ENTITIES#'), ['name', 'fields', 'labels', ...SILENCE]],
  [isCheckKey, ['rev', 'name', 'slug', 'labels', 'ping']],
  [({ sk }) => sk.startsWith('pky_'), ['label']],
  [({ sk }) => sk === 'POLICY', [...POLICY_NAMES, 'channels', ...SILENCE]],
  [({ pk, sk }) => pk.endsWith('#ALERTING') && sk === 'HEAD', ['policy']],
  [({ pk, sk }) => pk.endsWith('#ALERTING') && sk.startsWith('CHANNEL#'), ['config', 'applies_to', 'enabled']],
  [({ pk, sk }) => pk.endsWith('#ALERTING') && sk.startsWith('SILENCE#'), ['applies_to', 'until']],
  [({ pk, sk }) => pk.endsWith('#ALERTING') && sk.startsWith('WINDOW#'), ['name', 'times', 'scope']],
  [
    ({ pk, sk }) => pk.endsWith('#ALERTING') && sk.startsWith('ROTA#'),
    ['name', 'members', 'handover', 'starts_on', 'overrides'],
  ],
  [
    ({ sk }) => sk.startsWith('act_'),
    ['name', 'url', 'trigger_type', 'check_id', 'trigger_to_state', 'interval_seconds', 'remediation'],
  ],
  [({ pk }) => pk.includes('#RELATIONS#'), ['id']],
  [({ sk }) => sk.startsWith('pag_'), ['title', 'visibility', 'groups']],
  [({ sk }) => sk.startsWith('SUB#'), ['config', 'component_ids']],
  [({ sk }) => sk.startsWith('U#upd_'), ['status', 'message']],
  [({ sk }) => sk.startsWith('SKILL#'), ['name', 'description', 'version', 'tools', 'enabled']],
];

const episodeOf = (item: Item | undefined) => (item as CheckItem | undefined)?.alerts.episode;
/** Returns the time at which a user acknowledged the failure; undefined: not acknowledged. */
const acknowledgedAt = (item: Item | undefined) => episodeOf(item)?.acknowledgement?.at;
/** Whether the failure continues: recovery ends an acknowledgement automatically. */
const isSameFailure = (before: Item | undefined, after: Item | undefined): boolean =>
  episodeOf(before) !== undefined && episodeOf(before)?.transition_id === episodeOf(after)?.transition_id;

/** Returns the key of an item that a user changed; undefined for changes by the service. */
function changeByUser({ key, before, after }: Change): string | undefined {
  const isNew = !before && after !== undefined;
  const beganBy = (item: Item | undefined) => item as { trigger?: string; kind?: string; origin?: string } | undefined;
  if (isNew && key.sk === 'EXECUTION') return beganBy(after)?.trigger === 'manual' ? key.pk : undefined;
  if (isNew && key.sk.startsWith('R#')) return beganBy(after)?.kind === 'manual' ? key.pk : undefined;
  if (isNew && key.pk.includes('#INCIDENTS#')) return beganBy(after)?.origin === 'manual' ? key.sk : undefined;
  if (isNew && key.pk.includes('#DELIVERIES#')) return beganBy(after)?.kind === 'test' ? key.pk : undefined;
  if (isCheckKey(key) && acknowledgedAt(before) !== acknowledgedAt(after) && isSameFailure(before, after))
    return key.sk;
  const [, members] = SETTINGS.find(([is]) => is(key)) ?? [];
  const valuesOf = (item: Item | undefined) => item && members?.map((name) => item[name as keyof Item]);
  return members && !isDeepStrictEqual(valuesOf(before), valuesOf(after)) ? `${key.pk} ${key.sk}` : undefined;
}
