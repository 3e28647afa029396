import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertCheckAllowed } from '#lib/access/restriction.ts';
import { type Guarded, isAllowed, ROLES, SCOPES } from '#lib/platform/http/access.ts';
import { assertAllowed } from '#lib/platform/http/assert-allowed.ts';

const ACCESSES: Guarded[] = [
  'read',
  'changes',
  'respond',
  'suppress',
  'push',
  'write',
  'configure',
  'mcp',
  'audit',
  'metrics',
  'own',
  'manage',
];
const access = fc.constantFrom(...ACCESSES);
const role = fc.constantFrom(...ROLES);
const some = fc.subarray([...SCOPES], { minLength: 1 });
const full = { scopes: null, is_read_only: false };

describe('access rules', () => {
  it('never deny more to a higher role or to more scopes', () => {
    fc.assert(
      fc.property(access, role, role, some, some, (to, a, b, few, more) => {
        const [low, high] = ROLES.indexOf(a) < ROLES.indexOf(b) ? [a, b] : [b, a];
        if (isAllowed({ role: low, ...full }, to)) expect(isAllowed({ role: high, ...full }, to)).toBe(true);
        const scopes = [...new Set([...few, ...more])];
        const held = { role: a, is_read_only: false };
        if (isAllowed({ ...held, scopes: few }, to)) expect(isAllowed({ ...held, scopes }, to)).toBe(true);
      }),
    );
  });

  it('never allow a restricted or read-only key more than its user', () => {
    fc.assert(
      fc.property(access, role, fc.option(some, { nil: null }), fc.boolean(), (to, of, scopes, is_read_only) => {
        if (isAllowed({ role: of, scopes, is_read_only }, to)) expect(isAllowed({ role: of, ...full }, to)).toBe(true);
      }),
    );
  });

  it('never allow a restricted key to create keys or to change team or account', () => {
    for (const to of ['own', 'manage'] as const) {
      expect(isAllowed({ role: 'admin', scopes: SCOPES, is_read_only: false }, to)).toBe(false);
    }
  });

  it('explain a denial with the missing right', () => {
    const denialMessage = (rights: Parameters<typeof isAllowed>[0], to: Guarded) => {
      try {
        assertAllowed(rights, to);
      } catch (error) {
        return (error as Error).message;
      }
      return 'let in';
    };
    expect(denialMessage({ role: 'viewer', ...full }, 'write')).toBe('This needs the member role; you are a viewer.');
    expect(denialMessage({ role: 'member', ...full }, 'manage')).toBe('This needs the admin role; you are a member.');
    expect(denialMessage({ role: 'admin', scopes: ['push'], is_read_only: false }, 'read')).toBe(
      'This key has the scope push; this needs read. Create a key that has it.',
    );
    expect(denialMessage({ role: 'admin', scopes: ['read', 'mcp'], is_read_only: false }, 'own')).toBe(
      'This key has the scopes read, mcp; this needs a key without scopes, or a session.',
    );
  });
});

describe('a key restricted to checks', () => {
  const ids = (prefix: string) =>
    fc
      .option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }), { nil: null })
      .map((list) => list?.map((one) => `${prefix}_${one}`) ?? null);

  it('reaches the named checks and the checks of named entities only', () => {
    const letter = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(ids('chk'), ids('ent'), letter, letter, (check_ids, entity_ids, check, entity) => {
        const one = { id: `chk_${check}`, entity_id: `ent_${entity}` };
        const isNamed = check_ids?.includes(one.id) || entity_ids?.includes(one.entity_id);
        const isFree = check_ids === null && entity_ids === null;
        const reach = (what?: typeof one) => {
          try {
            assertCheckAllowed({ check_ids, entity_ids }, what);
            return true;
          } catch {
            return false;
          }
        };
        expect(reach(one)).toBe(isFree || isNamed === true);
        expect(reach()).toBe(isFree);
      }),
    );
  });
});
