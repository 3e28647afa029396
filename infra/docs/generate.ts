import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRoutes } from '#lib/all-routes.ts';
import { VERSION } from '#lib/platform/version.ts';
import { automationSchemas, consoleRules, consoleSchemas } from './console-schemas.ts';
import { readExamples } from './examples.ts';
import { withNamedRequests } from './named-requests.ts';
import { type Example, type OpenApi, openApi } from './openapi.ts';
import { tags } from './tags.ts';
import { webhooks } from './webhooks.ts';

const DESCRIPTION = `Service catalog, checks, alerts and actions.

- A successful JSON response is the resource itself, an object or an array. Some endpoints return text, HTML, CSV or
  NDJSON, and 204 has no body. A failure is an \`Error\` with a \`code\`.
- A request body is a JSON object. Unknown properties and parameters are rejected. A null
  property counts as absent unless its description gives null a meaning.
- A body has at most 256 KB (1 MB for pipeline reports), 10,000 values, and 64 levels of nesting.
- PUT is partial: omitted properties keep their value, except for a check by slug and a field by name. A record can be
  sent back as it was read.
- A GET response of more than 1,024 characters has an \`ETag\`: with \`If-None-Match\`, the status is 304 until the
  content changes. With \`Accept-Encoding: gzip\`, the response is compressed.
- Lists take \`limit\` and \`cursor\`; a \`Link: <…>; rel="next"\` header is present while more items remain.
- \`/v1/mcp\` is not listed here: it uses MCP, the Model Context Protocol.
- Responses may get further properties; clients must ignore unknown ones.`;

/** Returns the OpenAPI document. With `strict`, for tests, response schemas reject undocumented properties. */
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

/** Generated files that are not committed. */
export type Generated = {
  openApi: OpenApi;
  console: Readonly<Record<string, string>>;
};

/** Generates the OpenAPI document and the files of the console from the API routes and the examples. Writes nothing. */
export function generate(examples: ReadonlyMap<string, Example> = readExamples()): Generated {
  const document = documentOf({ examples: withNamedRequests(examples) });
  return {
    openApi: document,
    console: {
      'schemas.json': JSON.stringify(consoleSchemas(document)),
      'automation.json': JSON.stringify(automationSchemas(document)),
      'rules.json': JSON.stringify(consoleRules()),
      'catalog-ops.json': readFileSync(join(import.meta.dirname, '../../docs/catalog-ops.json'), 'utf8'),
    },
  };
}
