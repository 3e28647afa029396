import type { Answer, Client } from './client.ts';

/** The record of an answer; throws with all of it when the status is another. */
export function got(answer: Answer, status: number): Answer['body'] {
  if (answer.status === status) return answer.body;
  throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

const blueprints = new WeakMap<Client, Promise<unknown>>();
let ofNoName = 0;

/** The slug of a new blueprint. */
export async function newBlueprint(client: Client, more: object = {}): Promise<string> {
  const n = ++ofNoName;
  return got(await client.post('/v1/blueprints', { slug: `bp-${n}`, name: `Blueprint ${n}`, ...more }), 201).slug;
}

let entities = 0;

/** A new entity of the client's blueprint `service`. */
export async function newEntity(client: Client): Promise<{ id: string; slug: string; name: string }> {
  if (!blueprints.has(client)) {
    blueprints.set(client, client.post('/v1/blueprints', { slug: 'service', name: 'Service' }));
  }
  await blueprints.get(client);
  const slug = `entity-${++entities}`;
  return got(await client.post('/v1/blueprints/service/entities', { slug, name: `Entity ${entities}` }), 201);
}

/** A new check; by default a push check on an entity of its own. */
export async function newCheck(client: Client, more: object = {}): Promise<Answer['body']> {
  const entity_id = 'entity_id' in more ? more.entity_id : (await newEntity(client)).id;
  return got(await client.post('/v1/checks', { check_type: 'push', ...more, entity_id }), 201);
}

/** The id of a new action; by default it is run by hand. */
export const newAction = async (client: Client, more: object): Promise<string> =>
  got(await client.post('/v1/actions', { name: 'Deploy', trigger_type: 'manual', ...more }), 201).id;

/** The execution of an action that was run by hand. */
export const runAction = async (client: Client, id: string, vars?: Record<string, string>): Promise<Answer['body']> =>
  got(await client.post(`/v1/actions/${id}/run`, vars && { vars }), 200);

/** Every record of a list that answers `{results, next_cursor}` or an array with a `Link`, page by page. */
export async function everything(client: Client, path: string): Promise<Answer['body'][]> {
  const all: Answer['body'][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers }: Answer = await client.get(next);
    all.push(...(Array.isArray(body) ? body : body.results));
    const link = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    const cursor: string | null | undefined = body.next_cursor;
    next =
      link ?? (cursor ? `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : undefined);
  }
  return all;
}
