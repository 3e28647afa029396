import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { route } from '#lib/platform/http/route.ts';

const Document = z.looseObject({
  openapi: z.literal('3.1.0').describe('The version of OpenAPI.'),
  info: z.looseObject({}).describe('What this API is.'),
  paths: z.looseObject({}).describe('Every endpoint.'),
});

/** The API's own description, as `npm run openapi` has written it. Read when it is asked for, as few calls do. */
export const openapiRows = [
  route<Context>()({
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'open',
    summary: 'This document: every endpoint, in OpenAPI 3.1',
    status: 200,
    reply: Document,
    run: async () => {
      // By this name: what is deployed has the document packed in its place (infra/aws/bundle).
      const { default: document } = await import('#lib/openapi-document.ts');
      return document as unknown as z.output<typeof Document>;
    },
  }),
];
