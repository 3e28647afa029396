import * as z from 'zod';
import { type AccountItem, AccountRecord, accountRecord, Role, type UserItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { userRemoved } from '#lib/access/issue-key.ts';
import { HELD_TO } from '#lib/access/new-key.ts';
import { ratesOf } from '#lib/access/rate-gate.ts';
import type { CheckCountItem } from '#lib/catalog/check-count.ts';
import type { RelationCountItem } from '#lib/catalog/relations/change-relation.ts';
import { allBlueprints } from '#lib/catalog/store.ts';
import { currentSession } from '#lib/identity/sessions/end-sessions.ts';
import { SessionRecord } from '#lib/identity/sessions/session.ts';
import { SCOPES } from '#lib/platform/http/access.ts';
import { IdOf, route } from '#lib/platform/http/route.ts';
import { ACCOUNT_CLASSES } from '#lib/platform/sharing/rates.ts';
import { iso } from '#lib/platform/time.ts';

/** So many requests a second, and at most so many at once. */
const RateRecord = z.object({
  per_second: z.int().describe('Requests a second.'),
  burst: z.int().describe('Requests at once.'),
});

/** The account of a caller, and its user: `email` and `name` are the account's, those of the person are in `user`. */
export const Me = AccountRecord.extend({
  role: Role,
  is_read_only: z.boolean().describe('Whether this caller may only read.'),
  rate_limits: z
    .record(z.enum(ACCOUNT_CLASSES), RateRecord)
    .nullable()
    .describe('Requests a second and at once, by class; null where nothing is limited.'),
  user: z
    .object({
      id: IdOf('the user'),
      email: z.string().describe('Of the user.'),
      name: z.string().describe('Of the user.'),
    })
    .describe('Whose key or session it is.'),
  key: z
    .object({
      id: IdOf('the key'),
      label: z.string().describe('What the key is for.'),
      scopes: z.array(z.enum(SCOPES)).nullable().describe(HELD_TO.scopes),
      expires_at: z.iso.datetime().nullable().describe('From when on it is refused; null: never.'),
    })
    .nullable()
    .describe('The key that was sent, or that the session stands for.'),
  session: SessionRecord.nullable().describe('The session by which this call was made; null where it was by a key.'),
});

/** Throws UNAUTHORIZED for a user who was removed meanwhile. */
export async function callerRecord(context: Context): Promise<z.output<typeof Me>> {
  const { ports, keys, tenant, caller } = context;
  const [account, user] = await ports.table.getMany<[AccountItem, UserItem]>([
    keys.account(tenant),
    keys.user(tenant, caller.user_id),
  ]);
  if (!account || !user) throw userRemoved();
  const { id, email, name } = user;
  const { key_id, key_label, scopes, valid_until } = caller;
  return {
    ...accountRecord(account),
    role: caller.role,
    is_read_only: caller.is_read_only,
    rate_limits: ratesOf(context),
    user: { id, email, name },
    key:
      key_id === ''
        ? null
        : {
            id: key_id,
            label: key_label,
            scopes: scopes && [...scopes],
            expires_at: valid_until === null ? null : iso(valid_until),
          },
    session: await currentSession(context),
  };
}

/** What an account has of what its plan limits. */
const Use = z.object({
  blueprints: z.int().describe('Of blueprint_limit.'),
  entities: z.int().describe('Of all blueprints together.'),
  largest_blueprint: z
    .object({
      slug: z.string().describe('Names the blueprint.'),
      entities: z.int().describe('Of entity_limit_per_bp.'),
    })
    .nullable()
    .describe('The blueprint with the most entities; null while there is none.'),
  checks: z.int().describe('Of check_limit.'),
  checks_per_minute: z.int().describe('Of checks_per_minute_limit, rounded up.'),
  relations: z.int().describe('Of relation_limit.'),
});
type Use = z.infer<typeof Use>;

export const MeWithUse = Me.extend({ use: Use.describe('What the account has of what its plan limits.') }).meta({
  id: 'Me',
});

async function useOf(context: Context): Promise<Use> {
  const { ports, keys, tenant } = context;
  const [blueprints, [checks, relations]] = await Promise.all([
    allBlueprints(context),
    ports.table.getMany<[CheckCountItem, RelationCountItem]>([keys.checkCount(tenant), keys.relationCount(tenant)]),
  ]);
  const counts = [...blueprints.values()].map(({ slug, entity_count }) => ({ slug, entities: entity_count }));
  const [largest = null] = counts.toSorted((a, b) => b.entities - a.entities);
  return {
    blueprints: counts.length,
    entities: counts.reduce((sum, { entities }) => sum + entities, 0),
    largest_blueprint: largest,
    checks: checks?.checks ?? 0,
    checks_per_minute: Math.ceil((checks?.load ?? 0) / 1_000_000),
    relations: relations?.count ?? 0,
  };
}

export const meRoutes = [
  route<Context>()({
    method: 'GET',
    path: '/v1/me',
    access: 'read',
    summary: 'The account of this key, its plan limits and what it has of them, whose key it is, and what it may do',
    status: 200,
    reply: MeWithUse,
    run: async (context) => {
      const [who, use] = await Promise.all([callerRecord(context), useOf(context)]);
      return { ...who, use };
    },
  }),
];
