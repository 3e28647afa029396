import * as z from 'zod';
import { Instant } from '#lib/platform/instant.ts';
import { type AuditEntry, AuditKind, TARGET_TYPES, VERBS } from './entry.ts';

function isAction(text: string): boolean {
  const [type = '', verb, ...more] = text.split('.');
  const isVerb = verb === '' || (verb !== undefined && Object.hasOwn(VERBS, verb));
  return Object.hasOwn(TARGET_TYPES, type) && isVerb && more.length === 0;
}

/** Filter of the log; all conditions must match. */
export const AuditFilter = z.object({
  since: Instant.optional().describe('Entries at or after this ISO 8601 time.'),
  until: Instant.optional().describe('Entries before this ISO 8601 time.'),
  actor: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('Author: id or e-mail address of a user, id of a key, or the type of an actor, such as operator.'),
  action: z
    .string()
    .refine(
      isAction,
      `must be an action such as "check.update", or "check." for all actions on checks; types: ${Object.keys(TARGET_TYPES).join(', ')}`,
    )
    .optional()
    .describe('Action such as "check.update", or "check." for all actions on checks.'),
  target: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe(
      'Id of the target or of its parent: the id of an entity also matches its checks. Slugs of entities, checks, blueprints and skills match too.',
    ),
  kind: AuditKind.optional(),
});
export type AuditFilter = z.output<typeof AuditFilter>;

/** Whether an entry matches a filter, except for its time. Pure. */
export function matches(
  { kind, action, actor, target }: Pick<AuditEntry, 'kind' | 'action' | 'actor' | 'target'>,
  within: readonly string[],
  filter: AuditFilter,
): boolean {
  const { user_id, key_id, email, type } = actor;
  return (
    (filter.kind === undefined || filter.kind === kind) &&
    (filter.action === undefined ||
      (filter.action.endsWith('.') ? action.startsWith(filter.action) : action === filter.action)) &&
    (filter.actor === undefined || [user_id, key_id, type].includes(filter.actor) || isSame(email, filter.actor)) &&
    (filter.target === undefined || [target.id, ...within].includes(filter.target))
  );
}

const isSame = (email: string | null, other: string): boolean => email?.toLowerCase() === other.toLowerCase();
