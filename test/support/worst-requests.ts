import { pathOf, walkSteps } from '#infra/docs/example-requests.ts';
import type { PathIds } from '#infra/docs/example-steps.ts';
import { endpointOf } from '#infra/docs/openapi.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { worstBodies } from './worst-bodies.ts';
import { worstMessages, worstSkills } from './worst-messages.ts';

/** A request, and its name. */
export type WorstRequest = {
  name: string;
  method: string;
  path: string;
  body?: string;
  headers?: Record<string, string>;
};

type Send = (request: Omit<WorstRequest, 'name'>) => Promise<{ status: number; text: string; cookies: string[] }>;

type Preparation = Omit<WorstRequest, 'name' | 'body'> & { body?: unknown };

/** Sends a request that prepares the account. Throws if it fails. */
async function prepare(
  send: Send,
  { body, ...request }: Preparation,
): Promise<{ body: Record<string, never>; cookies: string[] }> {
  const { method, path } = request;
  const { status, text, cookies } = await send({
    ...request,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
  return { body: /^[{[]/.test(text) ? JSON.parse(text) : {}, cookies };
}

/** Returns the JSON of a list, about `bytes` bytes long. */
const listText = (bytes: number) => `[${Array.from({ length: bytes / 2 - 1 }, () => '0').join()}]`;

/** Returns requests with bodies that cannot be derived from a schema: many small valid elements, each with a cost. */
function handwritten(pathIds: PathIds): WorstRequest[] {
  const fields = (count: number, more: object) => Array.from({ length: count }, (_, i) => ({ name: `f${i}`, ...more }));
  const post = (name: string, path: string, body: object, method = 'POST'): WorstRequest => ({
    name,
    method,
    path,
    body: JSON.stringify(body),
  });
  return [
    post('6,000 fields', '/v1/blueprints', {
      slug: 'many',
      name: 'Many',
      fields: fields(6000, { field_type: 'string' }),
    }),
    post('200 fields', '/v1/blueprints', { slug: 'many', name: 'Many', fields: fields(200, { field_type: 'string' }) }),
    post('200 fields with defaults of 1 KB', '/v1/blueprints', {
      slug: 'lists',
      name: 'Lists',
      fields: fields(200, { field_type: 'array', default_value: listText(1000) }),
    }),
    post('a default of 250 KB', '/v1/blueprints', {
      slug: 'long',
      name: 'Long',
      fields: fields(1, { field_type: 'array', default_value: listText(250_000) }),
    }),
    post('fields of one name', '/v1/blueprints', {
      slug: 'same',
      name: 'Same',
      fields: Array.from({ length: 200 }, () => ({ name: 'x'.repeat(200), field_type: 'string' })),
    }),
    ...['Mon *-*-31', 'Mon 2029..2199-*-31', '*-02-30'].map((rare) =>
      post(`a schedule of ${rare}`, '/v1/checks', {
        entity_id: pathIds.entities,
        check_type: 'push',
        config: { schedule: `*-*-* *:*:00\n${Array(4).fill(rare).join('\n')}`, timezone: 'Africa/Casablanca' },
      }),
    ),
    post('100 lines of 10 KB', `/v1/actions/executions/${pathIds.executions}/events`, {
      logs: Array.from({ length: 100 }, () => 'ä'.repeat(5000)),
    }),
    post('100 variables', `/v1/actions/${pathIds.actions}/run`, {
      vars: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`v${i}`, '"'.repeat(1200)])),
    }),
    post('20 long headers', '/v1/actions', {
      name: 'Headers',
      url: `https://${'a.'.repeat(900)}example.com/`,
      trigger_type: 'manual',
      headers: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x-${i}`, 'a'.repeat(4096)])),
      body_template: '{{a}}'.repeat(3276),
    }),
  ];
}

/** Walks over the API with valid requests. @returns the created ids, and the valid bodies and responses by endpoint */
export async function walkAll(send: Send) {
  const good = new Map<string, object>();
  const responses = new Map<string, Record<string, string>>();
  const pathIds = await walkSteps(allRoutes.map(endpointOf), async (endpoint, path, body, headers) => {
    const [method = ''] = endpoint.split(' ');
    if (typeof body === 'object' && body !== null) good.set(endpoint, body);
    const response = await prepare(send, { method, path, body, headers });
    responses.set(endpoint, response.body);
    return response;
  });
  return { pathIds, good, responses };
}

/** Yields every worst body of every endpoint with a body, including MCP messages, after a walk over the API. */
export async function* worstRequests(send: Send): AsyncGenerator<WorstRequest> {
  const { pathIds, good, responses } = await walkAll(send);
  // The walk creates a push check; http has more properties.
  const { id } = responses.get('POST /v1/blueprints/{blueprint_slug}/entities')!;
  good.set('POST /v1/checks', { entity_id: id, check_type: 'http', ...checkTypes.get('http')!.examples.valid.at(-1) });
  for (const route of allRoutes) {
    const endpoint = endpointOf(route);
    const path = pathOf(endpoint, pathIds);
    for (const { name, text } of worstBodies(route, good.get(endpoint) ?? {})) {
      yield { name, method: route.method, path, body: text };
    }
  }
  yield* handwritten(pathIds);
  for (const skill of worstSkills(pathIds.actions!)) {
    yield { name: skill.name, method: 'POST', path: '/v1/skills', body: skill.text };
  }
  for (const { name, text, headers } of worstMessages()) {
    yield { name, method: 'POST', path: '/v1/mcp', body: text, ...(headers && { headers }) };
  }
}

/** Creates many large records, and yields reads of every list. */
export async function* largeReads(send: Send): AsyncGenerator<WorstRequest> {
  const text = (bytes: number) => 'x'.repeat(bytes);
  for (let b = 0; b < 40; b++) {
    const fields = Array.from({ length: 150 }, (_, i) => ({
      name: `f${i}`,
      field_type: 'array',
      default_value: '[1,2,3,4,5,6,7,8]',
    }));
    await send({
      method: 'POST',
      path: '/v1/blueprints',
      body: JSON.stringify({ slug: `big${b}`, name: 'Big', fields }),
    });
  }
  await send({
    method: 'POST',
    path: '/v1/blueprints/big0/fields',
    body: JSON.stringify({ name: 'long', field_type: 'string' }),
  });
  let entity = '';
  for (let e = 0; e < 400; e++) {
    // Tries a smaller entity if the large one is rejected.
    for (const bytes of [240_000, 14_000]) {
      const body = JSON.stringify({ slug: `e${e}`, name: text(200), fields: { long: text(bytes) } });
      const response = await send({ method: 'POST', path: '/v1/blueprints/big0/entities', body });
      if (response.status === 201) {
        entity = JSON.parse(response.text).id;
        break;
      }
    }
    if (e % 20 !== 0) continue;
    for (let c = 0; c < 20; c++) {
      const body = {
        entity_id: entity,
        check_type: 'http',
        target_url: `https://example.com/${text(1900)}`,
        interval_seconds: 86_400,
        body_contains: text(4000),
        enabled: false,
        config: { body: text(7500) },
      };
      await prepare(send, { method: 'POST', path: '/v1/checks', body });
    }
  }
  for (let s = 0; s < 98; s++) {
    const tools = Array.from({ length: 7 }, (_, i) => ({
      name: `tool-${s}-${i}`,
      description: text(8000),
      inputSchema: { type: 'object' },
    }));
    await send({ method: 'POST', path: '/v1/skills', body: JSON.stringify({ slug: `s${s}`, name: 'Skill', tools }) });
  }
  for (const route of allRoutes.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
    yield { name: 'at its longest', method: 'GET', path: route.path };
    if (route.query && 'limit' in route.query.shape) {
      yield { name: 'at its longest', method: 'GET', path: `${route.path}?limit=1000` };
      yield { name: 'one of many', method: 'GET', path: `${route.path}?limit=1` };
    }
  }
  yield { name: 'large entities', method: 'GET', path: '/v1/blueprints/big0/entities' };
  const rpc = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });
  const tools = ['get_status_summary', 'list_entities', 'list_blueprints', 'list_incidents'];
  const messages = [
    rpc(1, 'tools/list'),
    ...tools.map((name) => rpc(1, 'tools/call', { name, arguments: {} })),
    rpc(1, 'tools/call', { name: 'tool-1-1', arguments: {} }),
  ];
  for (const message of messages) {
    const name = `large response of ${message.method} ${(message.params as { name?: string }).name ?? ''}`;
    yield { name, method: 'POST', path: '/v1/mcp', body: JSON.stringify(message) };
    for (const count of [10, 50]) {
      const batch = Array.from({ length: count }, (_, id) => ({ ...message, id }));
      yield { name: `${count} times ${name}`, method: 'POST', path: '/v1/mcp', body: JSON.stringify(batch) };
    }
  }
}
