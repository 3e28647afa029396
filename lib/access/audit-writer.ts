import type { Author, Verb } from '#lib/audit/entry.ts';
import { type Audited, type AuditWriter, auditWriterFor } from '#lib/audit/write.ts';
import type { UserItem } from './account.ts';
import type { MutationContext } from './context.ts';

/**
 * Returns a function that builds the write of an audit entry. Call `auditWriter` once per use case, before the first
 * attempt. Add the write to the transaction of the change; with several transactions, to the last one.
 */
export function auditWriter<Thing>(scope: MutationContext, verb: Verb, of: Audited<Thing>): AuditWriter<Thing> {
  const author = authorOf(scope);
  return author === 'system' ? () => [] : auditWriterFor(scope, author, verb, of);
}

/** Returns the caller of a mutation for a user who acts without a key, such as a user who signs in. */
export const userAsCaller = ({
  id,
  email,
}: Pick<UserItem, 'id' | 'email'>): NonNullable<MutationContext['caller']> => ({
  user_id: id,
  user_email: email,
  key_id: '',
  key_label: '',
});

const OPERATOR: Author = {
  actor: { type: 'operator', user_id: null, email: null, key_id: null, key_label: null },
  via: 'cli',
  tool: null,
  request_id: null,
  ip: null,
  user_agent: null,
};

/** Actor of a change by a link in a message; the link does not identify a user. */
const ANONYMOUS = { user_id: '', user_email: '', key_id: '', key_label: '' };

function authorOf({ caller, origin }: MutationContext): Author | 'system' {
  if (typeof origin === 'string') return origin === 'system' ? 'system' : OPERATOR;
  const { user_id, user_email, key_id, key_label } = caller ?? ANONYMOUS;
  const { via, tool, request_id, ip, user_agent } = origin;
  return {
    actor: {
      type: !caller ? 'link' : key_id === '' ? 'user' : 'key',
      user_id: user_id || null,
      email: user_email || null,
      key_id: key_id || null,
      key_label: key_label || null,
    },
    via,
    tool: tool ?? null,
    request_id: request_id || null,
    ip: ip || null,
    user_agent: user_agent || null,
  };
}
