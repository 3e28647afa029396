import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { createRelation, deleteRelation } from './change-relation.ts';
import { NewRelation, Relation } from './relation.ts';
import { relationList, relationsOfEntity } from './relation-store.ts';

const endpoint = route<Context>();

export const relationRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/relations',
    access: 'read',
    summary: 'List relations of the account or of one entity',
    status: 200,
    query: ListQuery.extend({
      entity_id: z.string().optional().describe('Only relations to or from this entity.'),
    }),
    reply: z.array(Relation),
    errors: ['NOT_FOUND'],
    run: async (context, call) => {
      const { entity_id } = call.query;
      if (entity_id === undefined) return listOf(`${context.tenant} relations`, call, relationList(context));
      const { id } = await requireEntityById(context, entity_id);
      return listOf(`${context.tenant} relations ${id}`, call, relationsOfEntity(context, id));
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/relations',
    access: 'write',
    summary: 'Create a relation between two entities',
    status: 201,
    body: NewRelation,
    reply: Relation,
    errors: ['NOT_FOUND', 'CONFLICT', 'LIMIT_EXCEEDED'],
    run: (context, { body }) => createRelation(context, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/relations/{id}',
    access: 'write',
    summary: 'Delete a relation',
    status: 204,
    run: (context, { params }) => deleteRelation(context, params.id),
  }),
];
