import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { route } from '#lib/platform/http/route.ts';
import { linksAddress } from '#lib/settings.ts';
import { BadgeRecord, badgeRecord, NewBadge } from './badge.ts';
import { allBadges, createBadge, deleteBadge, requireBadge } from './change-badge.ts';

const endpoint = route<Context>();

/** Routes of badges; visitors get the images from serve-badge.ts. */
export const badgeRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/badges',
    access: 'read',
    summary: 'List badges',
    status: 200,
    query: z.object({
      check_id: z.string().describe('Only badges of this check.').exactOptional(),
      entity_id: z.string().describe('Only badges of this entity.').exactOptional(),
      status_page_id: z.string().describe('Only badges of this status page.').exactOptional(),
    }),
    reply: z.array(BadgeRecord),
    run: async (context, { query }) => {
      const wanted = Object.entries(query) as [keyof typeof query, string][];
      const badges = (await allBadges(context)).filter((badge) => wanted.every(([name, id]) => badge[name] === id));
      return badges.map((badge) => badgeRecord(badge, linksAddress(context.ports.settings)));
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/badges',
    access: 'configure',
    summary: 'Create a badge',
    description: 'Its addresses show its label, state, uptime and latency to everyone, and nothing else.',
    status: 201,
    body: NewBadge,
    reply: BadgeRecord,
    errors: ['NOT_FOUND', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) =>
      badgeRecord(await createBadge(context, body), linksAddress(context.ports.settings)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/badges/{id}',
    access: 'configure',
    summary: 'Delete a badge',
    description: 'Its addresses stop working within a minute.',
    status: 204,
    load: (context, { id }) => requireBadge(context, id),
    run: (context, { loaded }) => deleteBadge(context, loaded.id),
  }),
];
