import { expect, it } from 'vitest';
import type { AuditEntry, AuditItem } from '#lib/audit/entry.ts';
import { entryRecord } from '#lib/audit/summary.ts';

const ann = { type: 'user', user_id: 'usr_1', email: 'ann@example.com', key_id: null, key_label: null } as const;
const byKey = { ...ann, type: 'key', key_id: 'key_1', key_label: 'CI' } as const;
const noUser = { user_id: null, email: null, key_id: null, key_label: null };
const changed = (...paths: string[]) => paths.map((path) => ({ path, from: 1, to: 2 }));
const check = { type: 'check', id: 'chk_1', name: 'home page' } as const;

const summaryOf = (entry: Partial<AuditEntry>): string =>
  entryRecord(
    {
      action: 'check.update',
      actor: ann,
      via: 'console',
      tool: null,
      target: check,
      changes: [],
      more_changes: 0,
      ...entry,
    } as AuditItem,
    true,
  ).summary;

it.each<[Partial<AuditEntry>, string]>([
  [{ changes: changed('enabled') }, 'ann@example.com changed check "home page": enabled.'],
  [
    { changes: changed('a', 'b', 'c', 'd', 'e', 'f'), more_changes: 3 },
    'ann@example.com changed check "home page": a, b, c, d, e, 4 more.',
  ],
  [{ action: 'check.delete', changes: changed('name') }, 'ann@example.com deleted check "home page".'],
  [{ action: 'check.create', actor: byKey }, 'ann@example.com (key "CI") created check "home page".'],
  [
    { action: 'check.create', via: 'mcp', tool: 'create_check' },
    'ann@example.com created check "home page" by the tool create_check.',
  ],
  [
    {
      action: 'account.disable',
      actor: { type: 'operator', ...noUser },
      target: { type: 'account', id: 'a', name: 'Shop' },
    },
    'The operator disabled account "Shop".',
  ],
  [
    { action: 'policy.update', target: { ...check, type: 'policy' }, changes: changed('silenced') },
    'ann@example.com changed the policy of check "home page": silenced.',
  ],
  [
    { action: 'policy.update', target: { type: 'policy', id: 'acc_1', name: 'default policy' } },
    'ann@example.com changed the default policy.',
  ],
  [
    { action: 'user.link', target: { type: 'user', id: 'usr_2', name: 'ben@example.com' } },
    'ann@example.com created a sign-in link for user "ben@example.com".',
  ],
  [
    { action: 'session.create', via: 'oidc', target: { type: 'session', id: 'ses_1', name: 'a session by oidc' } },
    'ann@example.com started a session by oidc through the identity provider.',
  ],
])('describes an entry in a sentence: %#', (entry, sentence) => {
  expect(summaryOf(entry)).toBe(sentence);
});
