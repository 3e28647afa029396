import { CheckRecord, checkView } from '#lib/checks/settings/check-record.ts';
import { requireCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import { CheckInput, CheckPatch } from '#lib/checks/settings/model.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { CreatedReply, route } from '#lib/platform/http/route.ts';
import { applyCheck } from './apply-check.ts';
import { createCheck, deleteCheck, updateCheck } from './change-check.ts';

const endpoint = route<StateContext>();

/** Endpoints that change checks. The endpoints that read checks are in lib/history/status. */
export const checkRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/checks',
    access: 'write',
    summary: 'Create a check on an entity',
    status: 201,
    body: CheckInput,
    reply: CheckRecord,
    errors: ['NOT_FOUND', 'CONFLICT', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => checkView(context, await createCheck(context, body)),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/checks/{id}',
    access: 'write',
    summary: 'Change settings of a check',
    status: 200,
    body: CheckPatch,
    reply: CheckRecord,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    load: (context, { id }) => requireCheck(context, id),
    run: async (context, { loaded, body }) => checkView(context, await updateCheck(context, loaded, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/checks/{id}',
    access: 'write',
    summary: 'Delete a check',
    status: 204,
    load: (context, { id }) => requireCheck(context, id),
    run: (context, { loaded }) => deleteCheck(context, loaded),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/checks/by-slug/{slug}',
    access: 'write',
    summary: 'Create or replace the check with a slug',
    status: 200,
    makes: true,
    body: CheckInput,
    reply: CheckRecord,
    errors: ['LIMIT_EXCEEDED'],
    run: async (context, { params, body }) => {
      const { check, isNew } = await applyCheck(context, params.slug, body);
      const record = await checkView(context, check);
      return isNew ? new CreatedReply(record) : record;
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/checks/by-slug/{slug}',
    access: 'write',
    summary: 'Delete the check with a slug',
    status: 204,
    load: (context, { slug }) => requireCheckBySlug(context, slug),
    run: (context, { loaded }) => deleteCheck(context, loaded),
  }),
];
