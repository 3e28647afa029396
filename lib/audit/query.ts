import * as z from 'zod';
import { Instant } from '#lib/platform/instant.ts';
import { type AuditEntry, AuditKind, TARGET_TYPES, VERBS } from './entry.ts';

/** `check.update`, or `check.` for all that was done to checks. */
function isAction(text: string): boolean {
  const [type = '', verb, ...more] = text.split('.');
  const isVerb = verb === '' || (verb !== undefined && Object.hasOwn(VERBS, verb));
  return Object.hasOwn(TARGET_TYPES, type) && isVerb && more.length === 0;
}

/** What is looked for in the log; all of it must hold. */
export const AuditFilter = z.object({
  since: Instant.optional().describe('Entries of then or later: an ISO 8601 time.'),
  until: Instant.optional().describe('Entries before then: an ISO 8601 time.'),
  actor: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('Who did it: id or e-mail address of a user, id of a key, or operator.'),
  action: z
    .string()
    .refine(isAction, `must be one such as check.update, or check. for all; of ${Object.keys(TARGET_TYPES).join(', ')}`)
    .optional()
    .describe('What was done: check.update, or all that was done to checks: check.'),
  target: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('Id or slug of what it was done to, or of what that belongs to: an entity, for its checks too.'),
  kind: AuditKind.optional(),
});
export type AuditFilter = z.output<typeof AuditFilter>;

/** Whether an entry is what is looked for, whenever it was made. Pure. */
export function fits(
  { kind, action, actor, target }: Pick<AuditEntry, 'kind' | 'action' | 'actor' | 'target'>,
  within: readonly string[],
  wanted: AuditFilter,
): boolean {
  const { user_id, key_id, email, type } = actor;
  return (
    (wanted.kind === undefined || wanted.kind === kind) &&
    (wanted.action === undefined ||
      (wanted.action.endsWith('.') ? action.startsWith(wanted.action) : action === wanted.action)) &&
    (wanted.actor === undefined || [user_id, key_id, type].includes(wanted.actor) || isSame(email, wanted.actor)) &&
    (wanted.target === undefined || [target.id, ...within].includes(wanted.target))
  );
}

const isSame = (email: string | null, wanted: string): boolean => email?.toLowerCase() === wanted.toLowerCase();
