import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { route } from '#lib/platform/http/route.ts';
import { allSlos, changeSlo, createSlo, deleteSlo, requireSlo } from './change-slo.ts';
import { measureSlo } from './measure-slo.ts';
import { MeasuredSlo, NewSlo, SloPatch, SloRecord, sloRecord } from './slo.ts';

const endpoint = route<Context>();

const load = (context: Context, { id }: { id: string }) => requireSlo(context, id);

export const sloRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/slos',
    access: 'read',
    summary: 'List service level objectives',
    description: 'Returns settings only. GET /v1/slos/{id} returns the status.',
    status: 200,
    query: z.object({
      check_id: z.string().describe('Only SLOs of this check.').exactOptional(),
      entity_id: z.string().describe('Only SLOs of this entity.').exactOptional(),
    }),
    reply: z.array(SloRecord),
    run: async (context, { query: { check_id, entity_id } }) =>
      (await allSlos(context))
        .filter((slo) => check_id === undefined || slo.check_id === check_id)
        .filter((slo) => entity_id === undefined || slo.entity_id === entity_id)
        .map(sloRecord),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/slos',
    access: 'write',
    summary: 'Create a service level objective',
    description: 'Exactly one of check_id and entity_id is required.',
    status: 201,
    body: NewSlo,
    reply: SloRecord,
    errors: ['NOT_FOUND', 'CONFLICT', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => sloRecord(await createSlo(context, body)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/slos/{id}',
    access: 'read',
    summary: 'Get a service level objective and its error budget',
    status: 200,
    reply: MeasuredSlo,
    load,
    run: async (context, { loaded }) => ({ ...sloRecord(loaded), ...(await measureSlo(context, loaded)) }),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/slos/{id}',
    access: 'write',
    summary: 'Update a service level objective',
    description: 'Omitted properties keep their value. The status follows the new settings at once.',
    status: 200,
    body: SloPatch,
    reply: SloRecord,
    errors: ['CONFLICT'],
    load,
    run: async (context, { loaded, body }) => sloRecord(await changeSlo(context, loaded.id, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/slos/{id}',
    access: 'write',
    summary: 'Delete a service level objective',
    description: 'The history of its check or entity is kept.',
    status: 204,
    load,
    run: (context, { loaded }) => deleteSlo(context, loaded.id),
  }),
];
