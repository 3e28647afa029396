import * as z from 'zod';
import { IdOf } from '#lib/platform/http/route.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';

/** Types of targets, each with the kind of its entries. */
export const TARGET_TYPES = {
  account: 'config',
  blueprint: 'config',
  field: 'config',
  entity: 'config',
  relation: 'config',
  check: 'config',
  policy: 'config',
  channel: 'config',
  address: 'config',
  silence: 'config',
  window: 'config',
  rota: 'config',
  incident: 'config',
  incident_update: 'config',
  status_page: 'config',
  status_subscriber: 'config',
  badge: 'config',
  action: 'config',
  skill: 'config',
  slo: 'config',
  user: 'access',
  key: 'access',
  ping_key: 'access',
  session: 'access',
  passkey: 'access',
  identity: 'access',
} as const;
export type TargetType = keyof typeof TARGET_TYPES;

/** Verbs of actions, with their form in a summary. */
export const VERBS = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  add: 'added',
  remove: 'removed',
  invite: 'invited',
  accept: 'accepted the invitation of',
  rotate: 'rotated',
  link: 'created a sign-in link for',
  end: 'ended',
  run: 'ran',
  test: 'tested',
  ask: 'requested confirmation of',
  confirm: 'confirmed',
  unsubscribe: 'unsubscribed',
  enable: 'enabled',
  disable: 'disabled',
  refuse: 'rejected',
  acknowledge: 'acknowledged',
  resolve: 'resolved',
  note: 'added a note to',
  unacknowledge: 'removed the acknowledgement of',
} as const;
export type Verb = keyof typeof VERBS;

export const AuditKind = z
  .enum(['config', 'access'])
  .describe(
    'config: catalog, checks, alerting, incidents, actions, skills and the account. access: users, keys and sessions.',
  );

export const Via = z
  .enum(['console', 'api', 'mcp', 'cli', 'oidc', 'link'])
  .describe(
    'console: web console. api: API. mcp: MCP. cli: operator at the command line. oidc: identity provider. link: link in a message, such as an alert or a request to confirm an address.',
  );
export type Via = z.infer<typeof Via>;

const Actor = z
  .object({
    type: z
      .enum(['user', 'key', 'link', 'operator', 'system'])
      .describe(
        'user: signed-in user. key: API key. link: user of a link in a message. operator: operator of the service. system: the service.',
      ),
    user_id: IdOf('the user').nullable(),
    email: z.string().nullable().describe('E-mail address of the user at that time.'),
    key_id: IdOf('the API key').nullable(),
    key_label: z.string().nullable().describe('Label of the API key at that time.'),
  })
  .describe('Author of the change.');

export const Change = z.object({
  path: z.string().describe('Path of the property: config.grace_seconds.'),
  from: z.unknown().describe('Old value; null if it was added. A secret is shown as ********.'),
  to: z.unknown().describe('New value; null if it was removed.'),
});
export type Change = z.infer<typeof Change>;

export const AuditEntry = z
  .object({
    id: IdOf('the entry'),
    at: z.iso.datetime().describe('Time of the change, in UTC.'),
    kind: AuditKind,
    action: z.string().describe('Action, such as check.update.'),
    actor: Actor,
    via: Via,
    tool: z.string().nullable().describe('Called MCP tool.'),
    target: z
      .object({
        type: z.enum(namesOf(TARGET_TYPES)).describe('Type of the target.'),
        id: z
          .string()
          .describe(
            'Id or slug of the target; a policy has the id of its check, the default policy that of the account.',
          ),
        name: z.string().describe('Name of the target at that time.'),
      })
      .describe('Target of the change.'),
    changes: z.array(Change).describe('Changed properties, at most 50; texts are cut at 200 characters.'),
    more_changes: z.int().describe('Number of further changed properties.'),
    request_id: z.string().nullable().describe('X-Request-Id of the request.'),
    ip: z
      .string()
      .nullable()
      .optional()
      .describe('Client address. Only for admins; a key with scopes needs the scope audit.'),
    user_agent: z
      .string()
      .nullable()
      .optional()
      .describe('User agent of the client. Only for admins; a key with scopes needs the scope audit.'),
    summary: z.string().describe('Human-readable description of the change.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Stored entry, 0.6 to 8 KB: written once, never changed. */
export type AuditItem = Item &
  Omit<AuditEntry, 'summary'> & {
    v: string;
    /** Slug of the target and ids of its parents, such as the entity of a check; a filter by one also matches. */
    within: readonly string[];
  };

export type Author = Pick<AuditEntry, 'actor' | 'via' | 'tool' | 'request_id'> & {
  ip: string | null;
  user_agent: string | null;
};
