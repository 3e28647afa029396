/** Roles in ascending order of rights. */
export const ROLES = ['viewer', 'responder', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'respond', 'write', 'push', 'mcp', 'audit', 'metrics'] as const;
export type KeyScope = (typeof SCOPES)[number];

export type Rights = {
  role: Role;
  /** null: everything that the role allows. */
  scopes: readonly KeyScope[] | null;
  is_read_only: boolean;
};

/** `read_only`: also allowed for a read-only key. */
type Rule = { role: Role; scopes: readonly KeyScope[]; read_only?: true };

/** Minimum role, and scopes of which a key with scopes needs one. A rule without scopes denies keys with scopes. */
const RULES = {
  read: { role: 'viewer', scopes: ['read', 'respond', 'write'], read_only: true },
  // Configuration changes in the audit log; all of its entries need `audit`.
  changes: { role: 'viewer', scopes: ['read', 'respond', 'write', 'audit'], read_only: true },
  respond: { role: 'responder', scopes: ['respond'] },
  // A silence or window of all checks, or over a day, also needs `write` (alerting/policy/suppression-access.ts).
  suppress: { role: 'responder', scopes: ['respond', 'write'] },
  push: { role: 'member', scopes: ['push'] },
  write: { role: 'member', scopes: ['write'] },
  configure: { role: 'admin', scopes: ['write'] },
  mcp: { role: 'viewer', scopes: ['mcp'] },
  audit: { role: 'admin', scopes: ['audit'] },
  metrics: { role: 'viewer', scopes: ['metrics', 'read', 'respond', 'write'], read_only: true },
  own: { role: 'viewer', scopes: [] },
  manage: { role: 'admin', scopes: [] },
} as const satisfies Record<string, Rule>;

/** Access that requires a key or a session. */
export type Guarded = keyof typeof RULES;

/** Access required by an endpoint; `open` requires nothing. */
export type Access = 'open' | Guarded;

export const ruleOf = (access: Guarded): Rule => RULES[access];

const isAtLeast = (role: Role, minimum: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(minimum);

/** Whether the rights allow the access. */
export const isAllowed = (rights: Rights, access: Guarded): boolean => denialReason(rights, access) === undefined;

export type Denial = { code: 'READ_ONLY' | 'FORBIDDEN'; message: string };

/** Returns why access is denied; undefined if allowed. This file imports nothing, because the console uses it too. */
export function denialReason({ role, scopes, is_read_only }: Rights, access: Guarded): Denial | undefined {
  const rule = ruleOf(access);
  if (is_read_only && !rule.read_only) {
    const message = 'This key is read-only. Use a key that was created without is_read_only.';
    return { code: 'READ_ONLY', message };
  }
  if (scopes && !rule.scopes.some((scope) => scopes.includes(scope))) {
    return { code: 'FORBIDDEN', message: scopeMessage(scopes, rule) };
  }
  if (!isAtLeast(role, rule.role)) {
    return { code: 'FORBIDDEN', message: `This needs the ${rule.role} role; you are ${withArticle(role)}.` };
  }
  return undefined;
}

function scopeMessage(granted: readonly KeyScope[], { scopes: [required] }: Rule): string {
  const needs = required ? `${required}. Create a key that has it.` : 'a key without scopes, or a session.';
  return `This key has the ${granted.length === 1 ? 'scope' : 'scopes'} ${granted.join(', ')}; this needs ${needs}`;
}

const withArticle = (role: Role): string => `${role === 'admin' ? 'an' : 'a'} ${role}`;
