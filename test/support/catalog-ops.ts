import * as z from 'zod';
import { builtInTools } from '#lib/mcp/tools/registry.ts';

/** In no manifest that is for everybody. */
const BY_NAME_ALONE = [
  'list_changes',
  'get_execution',
  'test_check',
  'run_check',
  'acknowledge_alert',
  'add_incident_note',
  'missed_heartbeat',
];

/** Each built-in tool as a manifest names it. */
const tools = await Promise.all(
  [...builtInTools].map(async ([name, { load }]) => {
    const { description, input } = await load();
    const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
    return { name, description, inputSchema };
  }),
);

/** The manifest under which a tenant makes the built-in tools known to its MCP clients: the body of POST /v1/skills. */
export const catalogOps = () => ({
  slug: 'catalog-ops',
  name: 'Catalog operations',
  description: 'What is monitored, how it is, what happened, and new checks.',
  version: '1.0.0',
  tools: tools.filter(({ name }) => !BY_NAME_ALONE.includes(name)),
});

/** A manifest of the tools that are in no manifest for everybody. */
export const byNameAlone = () => ({
  slug: 'more-tools',
  name: 'More tools',
  tools: BY_NAME_ALONE.map((name) => tools.find((tool) => tool.name === name)!),
});
