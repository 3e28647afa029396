import * as z from 'zod';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { IssuedKey, KeyRecord } from './api-key.ts';
import { changeKey, deleteKey, requireKey, rotateKey } from './change-key.ts';
import type { Context } from './context.ts';
import { issueKey } from './issue-key.ts';
import { KeyPatch, NewKey, Rotation } from './new-key.ts';
import { keyList } from './store.ts';

const endpoint = route<Context>();

const loadKey = (context: Context, { id }: { id: string }) => requireKey(context, id);

export const keyRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/auth/keys',
    access: 'own',
    summary: 'List API keys',
    description: 'Your own keys; for an admin, all keys of the account.',
    status: 200,
    query: ListQuery,
    reply: z.array(KeyRecord),
    run: (context, call) => {
      const user = context.caller.role === 'admin' ? undefined : context.caller.user_id;
      return listOf(`${context.tenant} keys ${user}`, call, keyList(context, user));
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/auth/keys',
    access: 'own',
    summary: 'Create an API key',
    description: 'Only this response contains the raw key.',
    status: 201,
    body: NewKey,
    reply: IssuedKey,
    errors: ['LIMIT_EXCEEDED'],
    run: (context, { body }) => issueKey(context, context.caller.user_id, body, context.caller.valid_until),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/auth/keys/{id}',
    access: 'own',
    summary: 'Change the label of an API key, or shorten its lifetime',
    status: 200,
    body: KeyPatch,
    reply: KeyRecord,
    load: loadKey,
    run: (context, { loaded, body }) => changeKey(context, loaded, body),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/auth/keys/{id}/rotate',
    access: 'own',
    summary: 'Rotate an API key',
    description:
      'Creates a replacement; the old key expires after an overlap. Only this response contains the raw key.',
    status: 201,
    body: Rotation,
    reply: IssuedKey,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    load: loadKey,
    run: (context, { loaded, body }) => rotateKey(context, loaded, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/auth/keys/{id}',
    access: 'own',
    summary: 'Delete an API key',
    description: 'Later requests with the key are rejected.',
    status: 204,
    load: loadKey,
    run: (context, { loaded }) => deleteKey(context, loaded),
  }),
];
