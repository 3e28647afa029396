import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { AuditItem } from '#lib/audit/entry.ts';
import type { Audited } from '#lib/audit/write.ts';
import { memoryWorld } from '#test/support/memory-world.ts';
import { kinds, others } from './some-records.ts';

/**
 * Whatever somebody hides in a member that is secret, the audit log does not have it: not in the member itself, not in
 * another, on neither side of a change, not when it is new and not when it is gone.
 */

const { ports, keys } = memoryWorld();
const scope = { ports, keys, tenant: 'acc_1', origin: 'operator' } as const;

const secretText = fc.stringMatching(/^[a-z0-9]{24}$/);

/**
 * A record with a text at a path, which goes into each element of a list; `*` is every name there, and a `?` at its end
 * means the query of a URL.
 */
function planted(value: unknown, path: string, secret: string): unknown {
  const [name = '', ...rest] = path.split('.');
  if (Array.isArray(value)) return value.map((one) => (name === '*' ? secret : planted(one, path, secret)));
  if (typeof value !== 'object' || value === null) return value;
  const names = name === '*' ? Object.keys(value) : [name.replace(/\?$/, '')];
  const put = (present: unknown): unknown => {
    if (name.endsWith('?')) return `https://ops:${secret}@example.com/health?token=${secret}#${secret}`;
    if (rest.length > 0) return planted(present, rest.join('.'), secret);
    return typeof present === 'object' && present !== null && !Array.isArray(present) && name !== '*'
      ? present
      : secret;
  };
  return {
    ...value,
    ...Object.fromEntries(
      names.filter((one) => Object.hasOwn(value, one)).map((one) => [one, put(value[one as never])]),
    ),
  };
}

const entryOf = (of: Audited<never>, before: unknown, after: unknown): AuditItem => {
  const [write] = auditWriter(scope, 'update', of)(before as never, after as never);
  return (write as unknown as { put: AuditItem }).put;
};

describe('a secret', () => {
  it.each(kinds.flatMap(({ secret, ...kind }) => secret.map((path) => ({ ...kind, path }))))(
    'is in no entry of $name, when it stands in $path',
    ({ of, record, path }) => {
      fc.assert(
        fc.property(secretText, secretText, (one, two) => {
          const [a, b] = [planted(record, path, one), planted(record, path, two)];
          for (const [before, after] of [
            [a, b],
            [undefined, a],
            [a, undefined],
            [record, a],
            [a, record],
          ]) {
            const text = JSON.stringify(entryOf(of, before, after));
            for (const secret of [one, two]) expect(text).not.toContain(secret);
          }
        }),
        { numRuns: 20 },
      );
    },
  );

  it('is looked for where there is one: every type that has secrets has them in its examples', () => {
    const reached = kinds.flatMap(({ record, secret, name }) => {
      const isReached = secret.some((path) => JSON.stringify(planted(record, path, 'SECRET')).includes('SECRET'));
      return secret.length > 0 ? [[name, isReached]] : [];
    });
    expect(reached.length).toBeGreaterThan(8);
    expect(reached).toEqual(reached.map(([name]) => [name, true]));
  });

  it.each(kinds.filter(({ secret }) => secret.some((path) => path.startsWith('config') || path === 'url')))(
    'that changed is told as changed, of $name',
    ({ of, record, secret }) => {
      const found = secret.flatMap((path) => {
        const [a, b] = [planted(record, path, 'one'), planted(record, path, 'two')];
        return JSON.stringify(a) === JSON.stringify(b) ? [] : [entryOf(of, a, b).changes];
      });
      expect(found.length).toBeGreaterThan(0);
      for (const changes of found) expect(changes.length).toBeGreaterThan(0);
    },
  );
});

describe('what is no secret, but of no use to who may only read', () => {
  /** Texts in every member of an item, whether the API shows it or not. */
  const marked = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return `${path}!`;
    if (Array.isArray(value)) return value.map((one, i) => marked(one, `${path}.${i}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one, `${path}.${name}`)]));
  };

  it.each(others)('is in no entry of $name', ({ of, record, shown }) => {
    const text = JSON.stringify(entryOf(of, undefined, marked(record, '')));
    const found = [...text.matchAll(/"([^"]*!(?:\.[^"]*!)?)"/g)].map(([, one]) => one!);
    expect([...new Set(found)].sort()).toEqual(shown);
  });
});
