import type { ApiResponse, Client } from './client.ts';

/** Returns the body of a response. If the status differs, throws an error with status and body. */
export function got(response: ApiResponse, status: number): ApiResponse['body'] {
  if (response.status === status) return response.body;
  throw new Error(`Expected ${status}, got ${response.status}: ${JSON.stringify(response.body)}`);
}

const blueprints = new WeakMap<Client, Promise<unknown>>();
let blueprintCount = 0;

/** Creates a blueprint. @returns its slug */
export async function newBlueprint(client: Client, more: object = {}): Promise<string> {
  const n = ++blueprintCount;
  return got(await client.post('/v1/blueprints', { slug: `bp-${n}`, name: `Blueprint ${n}`, ...more }), 201).slug;
}

let entities = 0;

/** Creates an entity of the client's blueprint `service`. */
export async function newEntity(client: Client): Promise<{ id: string; slug: string; name: string }> {
  if (!blueprints.has(client)) {
    blueprints.set(client, client.post('/v1/blueprints', { slug: 'service', name: 'Service' }));
  }
  await blueprints.get(client);
  const slug = `entity-${++entities}`;
  return got(await client.post('/v1/blueprints/service/entities', { slug, name: `Entity ${entities}` }), 201);
}

/** Creates a check; by default a push check on a new entity. */
export async function newCheck(client: Client, more: object = {}): Promise<ApiResponse['body']> {
  const entity_id = 'entity_id' in more ? more.entity_id : (await newEntity(client)).id;
  return got(await client.post('/v1/checks', { check_type: 'push', ...more, entity_id }), 201);
}

/** Creates an action; by default a manual one. @returns its id */
export const newAction = async (client: Client, more: object): Promise<string> =>
  got(await client.post('/v1/actions', { name: 'Deploy', trigger_type: 'manual', ...more }), 201).id;

/** Runs an action manually. @returns the execution */
export const runAction = async (
  client: Client,
  id: string,
  vars?: Record<string, string>,
): Promise<ApiResponse['body']> => got(await client.post(`/v1/actions/${id}/run`, vars && { vars }), 200);

/** Returns all records of a list that returns `{results, next_cursor}` or an array with a `Link`, page by page. */
export async function everything(client: Client, path: string): Promise<ApiResponse['body'][]> {
  const all: ApiResponse['body'][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers }: ApiResponse = await client.get(next);
    all.push(...(Array.isArray(body) ? body : body.results));
    const link = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    const cursor: string | null | undefined = body.next_cursor;
    next =
      link ?? (cursor ? `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : undefined);
  }
  return all;
}
