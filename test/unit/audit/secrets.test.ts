import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditedAccount } from '#lib/access/account.ts';
import { auditedKey } from '#lib/access/api-key.ts';
import { auditing } from '#lib/access/auditing.ts';
import { auditedUser } from '#lib/access/team/team.ts';
import { auditedAction } from '#lib/actions/action.ts';
import { channelTypes } from '#lib/alerts/channels/registry.ts';
import { auditedChannel, auditedPolicy } from '#lib/alerts/policy/views.ts';
import type { AuditItem } from '#lib/audit/entry.ts';
import type { Audited } from '#lib/audit/write.ts';
import { auditedBlueprint, auditedField } from '#lib/catalog/blueprint.ts';
import { auditedEntity } from '#lib/catalog/entity-item.ts';
import { auditedRelation } from '#lib/catalog/relations/relation.ts';
import { auditedCheck } from '#lib/checks/check-record.ts';
import { checkTypes } from '#lib/checks/registry.ts';
import { auditedSkill } from '#lib/mcp/skills/skill.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

/**
 * Whatever somebody hides in a member that is secret, the audit log does not have it: not in the member itself, not in
 * another, on neither side of a change, not when it is new and not when it is gone.
 */

const { ports, keys } = memoryWorld();
const scope = { ports, keys, tenant: 'acc_1', origin: 'operator' } as const;

/** Texts of a record that hold a secret, by the path of each member; `*` stands for every name of a map. */
type Kind = { name: string; of: Audited<never>; record: object; secret: readonly string[] };

const times = { created_at: '2026-11-21T08:00:00.000Z', updated_at: '2026-11-21T08:00:00.000Z' };
const item = { pk: 'DIGEST', sk: 'DIGEST', v: 'VERSION', tenant_id: 'acc_1' };
const check = (record: object) => ({
  ...item,
  ...times,
  id: 'chk_1',
  entity_id: 'ent_1',
  interval_seconds: 60,
  timeout_ms: 1000,
  failure_threshold: 3,
  enabled: true,
  state: 'up',
  state_since: times.created_at,
  consecutive_failures: 0,
  alerts: {},
  ...record,
});
const push = check({ check_type: 'push', execution_mode: 'push', name: 'nightly', config: {} });

/** Every check type with each member set, by its examples. */
const checks: Kind[] = [...checkTypes.values()].map((type) => ({
  name: `a ${type.type} check`,
  of: auditedCheck as Audited<never>,
  record: check({
    check_type: type.type,
    execution_mode: type.mode,
    name: 'home page',
    ...Object.assign({}, ...type.examples.valid),
    config: Object.assign({}, ...type.examples.valid.map((one) => (one as { config: object }).config)),
  }),
  secret: [...type.secrets.flatMap((path) => [path, `${path}.*`]), ...type.urls.map((path) => `${path}?`)],
}));

const channels: Kind[] = channelTypes.map((type) => ({
  name: `a ${type.type} channel`,
  of: auditedChannel as Audited<never>,
  record: {
    check: push,
    channel: {
      id: 'chn_1',
      channel_type: type.type,
      config: Object.assign({}, ...type.examples.valid),
      created_at: times.created_at,
    },
  },
  secret: type.secrets.map((name) => `channel.config.${name}`),
}));

const action = {
  ...item,
  ...times,
  id: 'act_1',
  name: 'Restart',
  url: 'https://ci.example.com/jobs',
  method: 'POST',
  headers: { Authorization: 'Bearer a', 'X-Key': 'b' },
  body_template: '{}',
  allowed_hosts: ['ci.example.com'],
  trigger_type: 'manual',
  check_id: 'chk_1',
  trigger_to_state: '',
  interval_seconds: null,
  timeout_ms: 1000,
};
const key = {
  ...item,
  id: 'key_1',
  label: 'CI',
  is_read_only: false,
  scopes: null,
  prefix: 'fw_abcde',
  created_by: 'usr_1',
  last_used_at: null,
  created_at: times.created_at,
  digest: 'DIGEST',
};
const user = {
  ...item,
  id: 'usr_1',
  email: 'ann@example.com',
  name: 'Ann',
  role: 'admin',
  keys: 1,
  created_at: times.created_at,
  invitation: { digest: 'DIGEST', valid_until: 1 },
};

const kinds: Kind[] = [
  ...checks,
  ...channels,
  {
    name: 'an action',
    of: auditedAction as Audited<never>,
    record: action,
    secret: ['url', 'headers.*', 'allowed_hosts.*'],
  },
  { name: 'an API key', of: auditedKey as Audited<never>, record: key, secret: ['digest', 'pk', 'sk', 'prefix', 'v'] },
  { name: 'a user', of: auditedUser as Audited<never>, record: user, secret: ['invitation.digest', 'v'] },
];

const secretText = fc.stringMatching(/^[a-z0-9]{24}$/);

/** A record with a text at a path; `*` is every name there, and a `?` at its end means the query of a URL. */
function planted(value: unknown, path: string, secret: string): unknown {
  const [name = '', ...rest] = path.split('.');
  if (Array.isArray(value)) return value.map(() => secret);
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
  const [write] = auditing(scope, 'update', of)(before as never, after as never);
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

  const others: { name: string; of: Audited<never>; record: object; shown: string[] }[] = [
    {
      name: 'an account',
      of: auditedAccount as Audited<never>,
      record: { ...item, id: 'acc_1', email: 'a', name: 'b', rate_limits: {}, created_at: 'c' },
      shown: ['.email!', '.id!', '.name!'],
    },
    { name: 'an API key', of: auditedKey as Audited<never>, record: key, shown: ['.created_by!', '.id!', '.label!'] },
    { name: 'a user', of: auditedUser as Audited<never>, record: user, shown: ['.email!', '.id!', '.name!', '.role!'] },
    {
      name: 'a policy',
      of: auditedPolicy as Audited<never>,
      record: { check: push, policy: { ...item, ...times, check_id: 'chk_1', channels: [{ config: { url: 'x' } }] } },
      shown: ['.check.entity_id!', '.check.id!', '.check.name!'],
    },
    {
      name: 'an entity',
      of: auditedEntity as Audited<never>,
      record: {
        ...item,
        ...times,
        id: 'a',
        slug: 'b',
        blueprint_slug: 'c',
        name: 'd',
        fields: { tier: 'e' },
        state: 'up',
      },
      shown: ['.blueprint_slug!', '.fields.tier!', '.id!', '.name!', '.slug!'],
    },
    {
      name: 'a blueprint',
      of: auditedBlueprint as Audited<never>,
      record: { ...item, ...times, slug: 'a', name: 'b', description: 'c', fields: [], entity_count: 1 },
      shown: ['.description!', '.name!', '.slug!'],
    },
    {
      name: 'a field',
      of: auditedField as Audited<never>,
      record: { slug: 'a', name: 'b', field_type: 'string', required: false, default_value: 'c', sort_order: 1 },
      shown: ['.default_value!', '.field_type!', '.name!', '.slug!', '.slug!..name!'],
    },
    {
      name: 'a relation',
      of: auditedRelation as Audited<never>,
      record: { ...item, ...times, id: 'a', from_entity_id: 'b', to_entity_id: 'c', relation_type: 'd' },
      shown: ['.from_entity_id!', '.id!', '.relation_type!', '.to_entity_id!'],
    },
    {
      name: 'a skill',
      of: auditedSkill as Audited<never>,
      record: {
        ...item,
        ...times,
        slug: 'a',
        name: 'b',
        description: 'c',
        version: 'd',
        tools: [],
        enabled: true,
        number: 1,
      },
      shown: ['.description!', '.name!', '.slug!', '.version!'],
    },
  ];

  it.each(others)('is in no entry of $name', ({ of, record, shown }) => {
    const text = JSON.stringify(entryOf(of, undefined, marked(record, '')));
    const found = [...text.matchAll(/"([^"]*!(?:\.[^"]*!)?)"/g)].map(([, one]) => one!);
    expect([...new Set(found)].sort()).toEqual(shown);
  });
});
