import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { route, SerializedJson } from '#lib/platform/http/route.ts';

const Document = z.looseObject({
  openapi: z.literal('3.1.0').describe('Version of OpenAPI.'),
  info: z.looseObject({}).describe('Information about the API.'),
  paths: z.looseObject({}).describe('All endpoints.'),
});

export const openapiRoutes = [
  route<Context>()({
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'open',
    summary: 'Get the OpenAPI document of the API',
    status: 200,
    reply: Document,
    run: async ({ ports }) => new SerializedJson(await ports.assets.openApi()),
  }),
];
