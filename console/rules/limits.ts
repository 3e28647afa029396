import type { Me } from '#console/api/records.ts';

/** What the plan limits: how much there is of it, where that is known, and how much there may be. */
export type LimitRow = { name: string; used: number | undefined; limit: number; about: string };

/** The limits of an account with what it has of them, those first of which something is known. */
export const limitRows = (me: Me): LimitRow[] => [
  row('Blueprints', me.use.blueprints, me.blueprint_limit),
  row(
    'Entities of a blueprint',
    me.use.largest_blueprint?.entities ?? 0,
    me.entity_limit_per_bp,
    me.use.largest_blueprint ? `most in ${me.use.largest_blueprint.slug}` : '',
  ),
  row('Checks', me.use.checks, me.check_limit),
  row('Probes a minute', me.use.checks_per_minute, me.checks_per_minute_limit),
  row('Relations', me.use.relations, me.relation_limit),
  row('Checks of an entity', undefined, me.check_limit_per_entity),
  row('API keys of a person', undefined, me.key_limit_per_user),
  row('People in the team', undefined, me.user_limit, 'with invitations'),
  row('Pending invitations', undefined, me.invitation_limit),
];

const row = (name: string, used: number | undefined, limit: number, about = ''): LimitRow => ({
  name,
  used,
  limit,
  about,
});
