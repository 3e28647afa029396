import * as z from 'zod';
import { builtInTools } from '#lib/mcp/tools/registry.ts';

/** Tools that are not in the default manifest. */
const NOT_IN_DEFAULT = [
  'list_changes',
  'list_slos',
  'get_report',
  'list_status_pages',
  'get_status_page',
  'list_subscribers',
  'add_subscriber',
  'delete_subscriber',
  'who_is_on_call',
  'get_execution',
  'test_check',
  'run_check',
  'acknowledge_alert',
  'add_incident_note',
  'post_incident_update',
  'silence',
];

/** The built-in tools in the form of a manifest. */
const tools = await Promise.all(
  [...builtInTools].map(async ([name, { load }]) => {
    const { description, input } = await load();
    const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
    return { name, description, inputSchema };
  }),
);

/**
 * Returns the manifest by which a tenant exposes the built-in tools to its MCP clients: the body of POST /v1/skills.
 */
export const catalogOps = () => ({
  slug: 'catalog-ops',
  name: 'Catalog operations',
  description: 'Monitored entities, their state and history, and creation of checks.',
  version: '1.0.0',
  tools: tools.filter(({ name }) => !NOT_IN_DEFAULT.includes(name)),
});

/** Returns a manifest of the tools that are not in the default manifest. */
export const otherTools = () => ({
  slug: 'more-tools',
  name: 'More tools',
  tools: NOT_IN_DEFAULT.map((name) => tools.find((tool) => tool.name === name)!),
});
