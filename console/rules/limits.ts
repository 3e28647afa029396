import type { Me } from '#console/api/records.ts';

/** A limit of the account with the used amount, if known. */
export type LimitRow = { name: string; used: number | undefined; limit: number; about: string };

/** Lists the limits of an account, with the used amounts if known. */
export const limitRows = (me: Me): LimitRow[] => [
  row('Blueprints', me.use.blueprints, me.blueprint_limit),
  row(
    'Entities per blueprint',
    me.use.largest_blueprint?.entities ?? 0,
    me.entity_limit_per_bp,
    me.use.largest_blueprint ? `largest: ${me.use.largest_blueprint.slug}` : '',
  ),
  row('Checks', me.use.checks, me.check_limit),
  row('Probes per minute', me.use.checks_per_minute, me.checks_per_minute_limit),
  row('Expressions per minute', me.use.expressions_per_minute, me.expressions_per_minute_limit),
  row('Alert messages per minute', undefined, me.alerts_per_minute_limit, 'beyond it, alerts are combined'),
  row('Relations', me.use.relations, me.relation_limit),
  row('Mails per hour', undefined, me.mails_per_hour_limit),
  row('Checks per entity', undefined, me.check_limit_per_entity),
  row('API keys per user', undefined, me.key_limit_per_user),
  row('Team members', undefined, me.user_limit, 'including invitations'),
  row('Pending invitations', undefined, me.invitation_limit),
];

const row = (name: string, used: number | undefined, limit: number, about = ''): LimitRow => ({
  name,
  used,
  limit,
  about,
});
