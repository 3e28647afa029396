import * as z from 'zod';
import { blueprintList } from '#lib/catalog/store.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { defineTool, listed, TOOL_PAGE } from './tool.ts';

export const listBlueprints = defineTool({
  description: 'All blueprints: the kinds of entities in the catalog, with their typed fields.',
  input: z.strictObject({}),
  run: async (context) =>
    listed('blueprints', await gather(blueprintList(context), TOOL_PAGE), 'GET /v1/blueprints returns all of them.'),
});
