import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRoutes } from '#lib/all-routes.ts';
import { VERSION } from '#lib/platform/version.ts';
import { consoleRules, consoleSchemas } from './console-schemas.ts';
import { readExamples } from './examples.ts';
import { withNamedRequests } from './named-requests.ts';
import { type Example, type OpenApi, openApi } from './openapi.ts';
import { tags } from './tags.ts';
import { webhooks } from './webhooks.ts';

const DESCRIPTION = `A catalog of what you run, checks on it, alerts you can trust, and actions.

- Every answer is the resource itself, an object or an array; what went wrong is an \`Error\` with a \`code\`.
- A request's body is a JSON object. A member that is null counts as absent; what is not known, in a body or a query, is
  refused.
- A body has at most 256 KB (1 MB where a pipeline reports), 10,000 values, and 64 levels of nesting.
- PUT is partial: what is left out keeps its value. A record that was read can be sent back whole.
- An answer to a GET of more than 1,024 characters has an \`ETag\`: named by \`If-None-Match\` it is 304 while nothing has
  changed. With \`Accept-Encoding: gzip\` it comes packed.
- Lists take \`limit\` and \`cursor\`; a \`Link: <…>; rel="next"\` header is there whenever more remains.
- \`/v1/mcp\` is not listed here: it speaks MCP, the Model Context Protocol.
- Answers may get further members; clients must ignore those that they do not know.`;

/**
 * The API's document, from the rows that serve it.
 * @param strict answers hold no member that they do not state: for tests
 */
export const documentOf = (more: { examples?: ReadonlyMap<string, Example>; strict?: boolean } = {}): OpenApi =>
  openApi(allRoutes, {
    info: {
      title: 'Fleetwatch',
      version: VERSION,
      summary: 'Service monitoring, catalog, alerting and actions.',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags,
    webhooks,
    ...more,
  });

/** Files that are made from the code and not committed. */
export type Generated = {
  document: OpenApi;
  /** JSON files that the console imports as `#generated/<name>`: their text by name. */
  console: Readonly<Record<string, string>>;
};

/** Makes every generated file from the rows of the API and the recorded examples. Writes nothing. */
export function generate(examples: ReadonlyMap<string, Example> = readExamples()): Generated {
  const document = documentOf({ examples: withNamedRequests(examples) });
  return {
    document,
    console: {
      'schemas.json': JSON.stringify(consoleSchemas(document)),
      'rules.json': JSON.stringify(consoleRules()),
      'catalog-ops.json': readFileSync(join(import.meta.dirname, '../../docs/catalog-ops.json'), 'utf8'),
    },
  };
}
