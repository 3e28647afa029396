import { auditedAccount } from '#lib/access/account.ts';
import { auditedKey } from '#lib/access/api-key.ts';
import { auditedAction } from '#lib/actions/action.ts';
import { auditedAccountChannel } from '#lib/alerting/configure/account-channels.ts';
import { auditedChannel, auditedPolicy } from '#lib/alerting/configure/views.ts';
import type { Audited } from '#lib/audit/write.ts';
import { auditedBlueprint, auditedField } from '#lib/catalog/blueprint.ts';
import { auditedEntity } from '#lib/catalog/entity.ts';
import { auditedRelation } from '#lib/catalog/relations/relation.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { auditedCheck } from '#lib/checks/settings/check-record.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { auditedUser } from '#lib/identity/team/team.ts';
import { auditedSkill } from '#lib/mcp/skills/skill.ts';

/** Record of a kind, and the paths of its secrets. `*` is every name of an object, a final `?` the parts of a URL. */
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
  recovery_threshold: 1,
  enabled: true,
  state: 'up',
  state_since: times.created_at,
  consecutive_failures: 0,
  alerts: {},
  ...record,
});
const push = check({ check_type: 'push', execution_mode: 'push', name: 'nightly', config: {} });

/** Merges examples. The first example with a property sets it, because later ones test limits. */
const merged = <T extends object>(examples: readonly T[]): T => Object.assign({}, ...examples.toReversed());

/** Every check type with all properties set, from its examples. */
const checks: Kind[] = [...checkTypes.values()].map((type) => ({
  name: `a ${type.type} check`,
  of: auditedCheck as Audited<never>,
  record: check({
    check_type: type.type,
    execution_mode: type.mode,
    name: 'home page',
    ...merged(type.examples.valid as object[]),
    config: merged(type.examples.valid.map((one) => (one as { config: object }).config)),
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
  last_used_from: null,
  rotated_from: null,
  rotated_to: null,
  valid_until: null,
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
  link: { digest: 'DIGEST', valid_until: 1 },
  passkeys: [{ id: 'psk_1', digest: 'DIGEST' }],
  identities: [{ id: 'idn_1', digest: 'DIGEST' }],
  session_generation: 1,
};

/** Every channel type, as a channel of the account. */
const accountChannels: Kind[] = channelTypes.map((type) => ({
  name: `a ${type.type} channel of the account`,
  of: auditedAccountChannel as Audited<never>,
  record: {
    ...item,
    ...times,
    id: 'chn_2',
    name: 'On call',
    slug: 'on-call',
    channel_type: type.type,
    config: Object.assign({}, ...type.examples.valid),
    destination: 'DIGEST',
    applies_to: { labels: { team: 'shop' } },
    enabled: true,
  },
  secret: type.secrets.map((name) => `config.${name}`),
}));

export const kinds: Kind[] = [
  ...checks,
  ...channels,
  ...accountChannels,
  {
    name: 'an action',
    of: auditedAction as Audited<never>,
    record: action,
    secret: ['url', 'headers.*', 'allowed_hosts.*'],
  },
  { name: 'an API key', of: auditedKey as Audited<never>, record: key, secret: ['digest', 'pk', 'sk', 'prefix', 'v'] },
  {
    name: 'a user',
    of: auditedUser as Audited<never>,
    record: user,
    secret: ['invitation.digest', 'link.digest', 'v'],
  },
];

/** Records, and the texts of each that appear in an entry, given as the path of the property and `!`. */
export const others: { name: string; of: Audited<never>; record: object; shown: string[] }[] = [
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
    record: {
      check: push,
      policy: { ...item, ...times, check_id: 'chk_1', channels: [{ config: { url: 'x' } }] },
      stored: { silenced: true, silenced_until: 'a', silence_reason: 'b' },
    },
    shown: [
      ...['.check.entity_id!', '.check.id!', '.check.name!'],
      ...['.stored.silence_reason!', '.stored.silenced_until!'],
    ],
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
    record: {
      ...item,
      ...times,
      id: 'a',
      from_entity_id: 'b',
      to_entity_id: 'c',
      relation_type: 'd',
      propagates_failure: true,
      group: 'e',
      required: 1,
      when: 'down',
    },
    shown: ['.from_entity_id!', '.group!', '.id!', '.relation_type!', '.to_entity_id!', '.when!'],
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
