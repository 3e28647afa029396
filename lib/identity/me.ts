import * as z from 'zod';
import { type AccountItem, AccountRecord, accountRecord, Role, type UserItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { userRemoved } from '#lib/access/issue-key.ts';
import { RESTRICTIONS } from '#lib/access/new-key.ts';
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

const RateRecord = z.object({
  per_second: z.int().describe('Requests per second; kilobytes per second for store.'),
  burst: z.int().describe('Maximum burst in requests; in kilobytes for store.'),
});

/** Account and user of a caller: `email` and `name` belong to the account, `user` to the user. */
export const Me = AccountRecord.extend({
  role: Role,
  is_read_only: z.boolean().describe('Whether the caller may only read.'),
  rate_limits: z
    .record(z.enum(ACCOUNT_CLASSES), RateRecord)
    .nullable()
    .describe('Rates by class; null if requests are not limited.'),
  user: z
    .object({
      id: IdOf('the user'),
      email: z.string().describe('E-mail address of the user.'),
      name: z.string().describe('Name of the user.'),
      monthly_report: z.boolean().describe('Whether the user receives the monthly report of the account by e-mail.'),
    })
    .describe('User of the key or session.'),
  key: z
    .object({
      id: IdOf('the key'),
      label: z.string().describe('Purpose of the key.'),
      scopes: z.array(z.enum(SCOPES)).nullable().describe(RESTRICTIONS.scopes),
      expires_at: z.iso.datetime().nullable().describe('Expiry time; null if it does not expire.'),
    })
    .nullable()
    .describe('Key of the request, or key with which the session started; null for other sessions.'),
  session: SessionRecord.nullable().describe('Session of the request; null if the request was made with a key.'),
});

/** Returns account, user and permissions of the caller. Throws UNAUTHORIZED for a user removed meanwhile. */
export async function callerRecord(context: Context): Promise<z.output<typeof Me>> {
  const { ports, keys, tenant, caller } = context;
  const [account, user] = await ports.table.getMany<[AccountItem, UserItem]>([
    keys.account(tenant),
    keys.user(tenant, caller.user_id),
  ]);
  if (!account || !user) throw userRemoved();
  const { id, email, name, monthly_report = false } = user;
  const { key_id, key_label, scopes, valid_until } = caller;
  return {
    ...accountRecord(account),
    role: caller.role,
    is_read_only: caller.is_read_only,
    rate_limits: ratesOf(context),
    user: { id, email, name, monthly_report },
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

const Use = z.object({
  blueprints: z.int().describe('Number of blueprints, limited by blueprint_limit.'),
  entities: z.int().describe('Number of entities of all blueprints.'),
  largest_blueprint: z
    .object({
      slug: z.string().describe('Slug of the blueprint.'),
      entities: z.int().describe('Number of its entities, limited by entity_limit_per_bp.'),
    })
    .nullable()
    .describe('Largest blueprint; null without blueprints.'),
  checks: z.int().describe('Number of checks, limited by check_limit.'),
  checks_per_minute: z.int().describe('Probes per minute, rounded up, limited by checks_per_minute_limit.'),
  expressions_per_minute: z
    .int()
    .describe('Evaluations of regular expressions per minute, rounded up, limited by expressions_per_minute_limit.'),
  relations: z.int().describe('Number of relations, limited by relation_limit.'),
});
type Use = z.infer<typeof Use>;

export const MeWithUse = Me.extend({ use: Use.describe('Usage of the account limits.') }).meta({
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
    checks_per_minute: Math.ceil((checks?.load.probes ?? 0) / 1_000_000),
    expressions_per_minute: Math.ceil((checks?.load.expressions ?? 0) / 1_000_000),
    relations: relations?.count ?? 0,
  };
}

export const meRoutes = [
  route<Context>()({
    method: 'GET',
    path: '/v1/me',
    access: 'read',
    summary: 'Get the account, user and permissions of the caller',
    description: 'Includes plan limits, their usage and rates.',
    status: 200,
    reply: MeWithUse,
    run: async (context) => {
      const [caller, use] = await Promise.all([callerRecord(context), useOf(context)]);
      return { ...caller, use };
    },
  }),
];
