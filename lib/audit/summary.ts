import { type AuditEntry, type AuditItem, type TargetType, VERBS, type Verb } from './entry.ts';

/** Members that a sentence names before it only counts them. */
const NAMED = 5;

/** What an entry says in a sentence: `ann@example.com changed check "shop": interval_seconds, enabled.` Pure. */
function summaryOf({ action, actor, via, tool, target, changes, more_changes }: Omit<AuditEntry, 'summary'>): string {
  const verb = action.split('.')[1] as Verb;
  const what = target.type === 'session' ? target.name : `${WORDS[target.type] ?? target.type} "${target.name}"`;
  const paths = verb === 'update' ? changes.slice(0, NAMED).map(({ path }) => path) : [];
  const others = verb === 'update' ? changes.length + more_changes - paths.length : 0;
  const listed = [...paths, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  const by = tool === null ? '' : ` by the tool ${tool}`;
  return `${whoIs(actor)} ${SAID[action] ?? VERBS[verb]} ${what}${by}${VIA[via] ?? ''}${listed && `: ${listed}`}.`;
}

const WORDS: Partial<Record<TargetType, string>> = {
  policy: 'the policy of check',
  key: 'API key',
  ping_key: 'ping key',
  identity: 'sign-in identity',
};

/** What the word for a verb does not say. */
const SAID: Record<string, string> = { 'session.create': 'began', 'user.link': 'made a sign-in link for' };

const VIA: Partial<Record<AuditEntry['via'], string>> = { oidc: ' through the identity provider' };

function whoIs({ type, email, key_label }: AuditEntry['actor']): string {
  if (type === 'operator') return 'The operator';
  if (type === 'system') return 'The service';
  if (type === 'link') return 'Whoever followed a link in an alert';
  const who = email ?? 'The account';
  return type === 'key' ? `${who} (key "${key_label ?? ''}")` : who;
}

/** An entry on the wire. @param whole with what only those see who may see all of the log */
export function entryRecord(item: AuditItem, whole: boolean): AuditEntry {
  const { pk: _pk, sk: _sk, v: _v, expires_at: _expires, within: _within, ip, user_agent, ...entry } = item;
  return { ...entry, ...(whole && { ip, user_agent }), summary: summaryOf(entry) };
}
