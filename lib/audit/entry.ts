import * as z from 'zod';
import { IdOf } from '#lib/platform/http/route.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';

/**
 * What entries are about, each with the part of the log that it belongs to: `config` is what the service does, for
 * everybody who reads; `access` is who gets in.
 */
export const TARGET_TYPES = {
  account: 'config',
  blueprint: 'config',
  field: 'config',
  entity: 'config',
  relation: 'config',
  check: 'config',
  policy: 'config',
  channel: 'config',
  silence: 'config',
  window: 'config',
  incident: 'config',
  action: 'config',
  skill: 'config',
  user: 'access',
  key: 'access',
  ping_key: 'access',
  session: 'access',
  passkey: 'access',
  identity: 'access',
} as const;
export type TargetType = keyof typeof TARGET_TYPES;

/** What can be done to them, and how a sentence says so. */
export const VERBS = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  add: 'added',
  remove: 'removed',
  invite: 'invited',
  accept: 'accepted the invitation of',
  rotate: 'rotated',
  link: 'made a sign-in link for',
  end: 'ended',
  run: 'ran',
  test: 'tested',
  enable: 'enabled',
  disable: 'disabled',
  refuse: 'refused',
  acknowledge: 'acknowledged',
  resolve: 'resolved',
  note: 'added a note to',
  take_back: 'took back the acknowledgement of',
} as const;
export type Verb = keyof typeof VERBS;

export const AuditKind = z
  .enum(['config', 'access'])
  .describe('config: what the service does. access: who gets in: users, keys, sessions.');

export const Via = z
  .enum(['console', 'api', 'mcp', 'cli', 'oidc', 'link'])
  .describe(
    'The way it came: the web console, the API, MCP, the operator at the command line, an identity provider, a link in an alert.',
  );
export type Via = z.infer<typeof Via>;

const Actor = z
  .object({
    type: z
      .enum(['user', 'key', 'link', 'operator', 'system'])
      .describe(
        'user: a signed-in person. key: an API key. link: whoever followed a link in an alert. operator: whoever runs this service. system: the service.',
      ),
    user_id: IdOf('the user').nullable(),
    email: z.string().nullable().describe('E-mail address of the user, as it was then.'),
    key_id: IdOf('the API key').nullable(),
    key_label: z.string().nullable().describe('Label of the API key, as it was then.'),
  })
  .describe('Who did it.');

export const Change = z.object({
  path: z.string().describe('The member, with dots: config.grace_seconds.'),
  from: z.unknown().describe('Before; null: it was not there. A secret is shown as ********.'),
  to: z.unknown().describe('After; null: it is gone.'),
});
export type Change = z.infer<typeof Change>;

/** One change of something, on the wire. */
export const AuditEntry = z
  .object({
    id: IdOf('the entry'),
    at: z.iso.datetime().describe('When it was done, in UTC.'),
    kind: AuditKind,
    action: z.string().describe('What was done: check.update.'),
    actor: Actor,
    via: Via,
    tool: z.string().nullable().describe('The tool of MCP that was called.'),
    target: z
      .object({
        type: z.enum(namesOf(TARGET_TYPES)).describe('What kind of thing it was done to.'),
        id: z.string().describe('Id of the thing, or its slug; a policy has the id of its check.'),
        name: z.string().describe('What it was called then.'),
      })
      .describe('What it was done to.'),
    changes: z.array(Change).describe('What differs, at most 50 members; texts are cut at 200 characters.'),
    more_changes: z.int().describe('How many members differ beside those.'),
    request_id: z.string().nullable().describe('X-Request-Id of the request.'),
    ip: z.string().nullable().optional().describe('Address of the client; only shown to who may see all of the log.'),
    user_agent: z.string().nullable().optional().describe('What the client calls itself; shown as ip is.'),
    summary: z.string().describe('All of that in a sentence.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry as stored, 0.6 to 8 KB: written once, never changed. */
export type AuditItem = Item &
  Omit<AuditEntry, 'summary'> & {
    v: string;
    /** Ids of what the target belongs to, by which it is found too: the entity of a check. */
    within: readonly string[];
  };

/** Who changes something, and how that came. */
export type Author = Pick<AuditEntry, 'actor' | 'via' | 'tool' | 'request_id'> & {
  ip: string | null;
  user_agent: string | null;
};
