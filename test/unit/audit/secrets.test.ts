import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { AuditItem } from '#lib/audit/entry.ts';
import type { Audited } from '#lib/audit/write.ts';
import { memoryWorld } from '#test/support/memory-world.ts';
import { kinds, others } from './audited-records.ts';

/** Secrets never appear in the audit log: not in any property or side of a change, nor for new and deleted records. */

const { ports, keys } = memoryWorld();
const scope = { ports, keys, tenant: 'acc_1', origin: 'operator' } as const;

const secretText = fc.stringMatching(/^[a-z0-9]{24}$/);

/**
 * Returns the value with a text at a path, in each element of a list. `*` is every name. A final `?` puts the text into
 * the password, query and fragment of a URL.
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

describe('secrets in audit entries', () => {
  it.each(kinds.flatMap(({ secret, ...kind }) => secret.map((path) => ({ ...kind, path }))))(
    'are in no entry of $name if set at $path',
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

  it('are in the examples of every type with secrets', () => {
    const reached = kinds.flatMap(({ record, secret, name }) => {
      const isReached = secret.some((path) => JSON.stringify(planted(record, path, 'SECRET')).includes('SECRET'));
      return secret.length > 0 ? [[name, isReached]] : [];
    });
    expect(reached.length).toBeGreaterThan(8);
    expect(reached).toEqual(reached.map(([name]) => [name, true]));
  });

  it.each(kinds.filter(({ secret }) => secret.some((path) => path.startsWith('config') || path === 'url')))(
    'are listed as changed for $name',
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

describe('other properties', () => {
  /** Replaces each text of an item by its path and `!`, whether the API shows it or not. */
  const marked = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return `${path}!`;
    if (Array.isArray(value)) return value.map((one, i) => marked(one, `${path}.${i}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one, `${path}.${name}`)]));
  };

  it.each(others)('are in an entry of $name only if the API shows them', ({ of, record, shown }) => {
    const text = JSON.stringify(entryOf(of, undefined, marked(record, '')));
    const found = [...text.matchAll(/"([^"]*!(?:\.[^"]*!)?)"/g)].map(([, one]) => one!);
    expect([...new Set(found)].sort()).toEqual(shown);
  });
});
