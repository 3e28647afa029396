import * as z from 'zod';
import { builtInTools } from '#lib/mcp/tools/registry.ts';

/** The manifest under which a tenant makes the built-in tools known to its MCP clients: the body of POST /v1/skills. */
export const catalogOps = () => ({
  slug: 'catalog-ops',
  name: 'Catalog operations',
  description: 'What is monitored, how it is, what happened, and new checks.',
  version: '1.0.0',
  tools: [...builtInTools.values()].map(({ name, description, input }) => {
    const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
    return { name, description, inputSchema };
  }),
});
