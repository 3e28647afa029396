/** From the least to the most. */
export const ROLES = ['viewer', 'responder', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What a key may be held to. */
export const SCOPES = ['read', 'respond', 'write', 'push', 'mcp', 'audit'] as const;
export type KeyScope = (typeof SCOPES)[number];

/** Whoever calls, as far as it decides what they may do. */
export type Rights = {
  role: Role;
  /** Of a key that is held to some; null: whatever the role may. */
  scopes: readonly KeyScope[] | null;
  is_read_only: boolean;
};

/** `read_only`: a read-only key may, too. */
type Rule = { role: Role; scopes: readonly KeyScope[]; read_only?: true };

/**
 * What it takes to use an endpoint or a tool: the least role, and the scopes of which a key that is held to any needs
 * one; with none of them only a key without scopes, or a session, will do.
 */
const RULES = {
  read: { role: 'viewer', scopes: ['read', 'respond', 'write'], read_only: true },
  // The audit log; `audit` opens all of it.
  changes: { role: 'viewer', scopes: ['read', 'respond', 'write', 'audit'], read_only: true },
  respond: { role: 'responder', scopes: ['respond'] },
  push: { role: 'member', scopes: ['push'] },
  write: { role: 'member', scopes: ['write'] },
  configure: { role: 'admin', scopes: ['write'] },
  mcp: { role: 'viewer', scopes: ['mcp'] },
  audit: { role: 'admin', scopes: ['audit'] },
  own: { role: 'viewer', scopes: [] },
  manage: { role: 'admin', scopes: [] },
} as const satisfies Record<string, Rule>;

/** Access that needs a key or a session. */
export type Guarded = keyof typeof RULES;

/** What an endpoint asks for; `open` asks for nothing. */
export type Access = 'open' | Guarded;

/** What the rule of an access is. */
export const ruleOf = (access: Guarded): Rule => RULES[access];

const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

/** Whether they may. */
export const isAllowed = (rights: Rights, access: Guarded): boolean => denialReason(rights, access) === undefined;

/** Why somebody may not, with what is missing and what to do. */
type Refusal = { code: 'READ_ONLY' | 'FORBIDDEN'; message: string };

/** Why they may not; undefined where they may. It imports nothing, as the console says the same before the API does. */
export function denialReason({ role, scopes, is_read_only }: Rights, access: Guarded): Refusal | undefined {
  const rule = ruleOf(access);
  if (is_read_only && !rule.read_only) {
    const message = 'This key is read-only. Use a key that was created without is_read_only.';
    return { code: 'READ_ONLY', message };
  }
  if (scopes && !rule.scopes.some((scope) => scopes.includes(scope))) {
    return { code: 'FORBIDDEN', message: tooNarrow(scopes, rule) };
  }
  if (!isAtLeast(role, rule.role)) {
    return { code: 'FORBIDDEN', message: `This needs the ${rule.role} role; you are ${withArticle(role)}.` };
  }
  return undefined;
}

function tooNarrow(has: readonly KeyScope[], { scopes: [wanted] }: Rule): string {
  const needs = wanted ? `${wanted}. Make a key that has it.` : 'a key without scopes, or a session.';
  return `This key has the ${has.length === 1 ? 'scope' : 'scopes'} ${has.join(', ')}; this needs ${needs}`;
}

const withArticle = (role: Role): string => `${role === 'admin' ? 'an' : 'a'} ${role}`;
