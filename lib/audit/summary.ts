import { type AuditEntry, type AuditItem, type TargetType, VERBS, type Verb } from './entry.ts';

/** Maximum number of property names in a summary. */
const NAMED = 5;

/** Formats an entry: `ann@example.com changed check "shop": interval_seconds, enabled.` Pure. */
function summaryOf({ action, actor, via, tool, target, changes, more_changes }: Omit<AuditEntry, 'summary'>): string {
  const verb = action.split('.')[1] as Verb;
  const paths = verb === 'update' ? changes.slice(0, NAMED).map(({ path }) => path) : [];
  const others = verb === 'update' ? changes.length + more_changes - paths.length : 0;
  const listed = [...paths, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  const by = tool === null ? '' : ` by the tool ${tool}`;
  return `${actorName(actor)} ${ACTION_VERBS[action] ?? VERBS[verb]} ${nameOf(target)}${by}${VIA[via] ?? ''}${listed && `: ${listed}`}.`;
}

function nameOf({ type, id, name }: AuditEntry['target']): string {
  if (type === 'session') return name;
  // The default policy has the id of the account.
  if (type === 'policy' && !id.startsWith('chk_')) return `the ${name}`;
  return `${TYPE_NAMES[type] ?? type} "${name}"`;
}

const TYPE_NAMES: Partial<Record<TargetType, string>> = {
  policy: 'the policy of check',
  key: 'API key',
  ping_key: 'ping key',
  identity: 'sign-in identity',
  address: 'e-mail address',
};

const ACTION_VERBS: Record<string, string> = { 'session.create': 'started' };

const VIA: Partial<Record<AuditEntry['via'], string>> = { oidc: ' through the identity provider' };

function actorName({ type, email, key_label }: AuditEntry['actor']): string {
  if (type === 'operator') return 'The operator';
  if (type === 'system') return 'The service';
  if (type === 'link') return 'A user of a link in a message';
  const name = email ?? 'The account';
  return type === 'key' ? `${name} (key "${key_label ?? ''}")` : name;
}

/** Converts an entry for the API. @param seesAll adds properties for access `audit` (lib/platform/http/access.ts) */
export function entryRecord(item: AuditItem, seesAll: boolean): AuditEntry {
  const { pk: _pk, sk: _sk, v: _v, expires_at: _expires, within: _within, ip, user_agent, ...entry } = item;
  return { ...entry, ...(seesAll && { ip, user_agent }), summary: summaryOf(entry) };
}
