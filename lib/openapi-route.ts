import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { route, SerializedJson } from '#lib/platform/http/route.ts';

const Document = z.looseObject({
  openapi: z.literal('3.1.0').describe('The version of OpenAPI.'),
  info: z.looseObject({}).describe('What this API is.'),
  paths: z.looseObject({}).describe('Every endpoint.'),
});

/** The OpenAPI document of the API. */
export const openapiRoutes = [
  route<Context>()({
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'open',
    summary: 'This document: every endpoint, in OpenAPI 3.1',
    status: 200,
    reply: Document,
    run: async ({ ports }) => new SerializedJson(await ports.assets.document()),
  }),
];
