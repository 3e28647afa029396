import { walk } from '#infra/docs/walk.ts';
import type { Places } from '#infra/docs/walk-steps.ts';
import type { Client } from './client.ts';

/** Walks over a service; throws for whatever is refused. @returns what is there now, and the endpoints it has called */
export async function walkAs(
  client: Client,
  endpoints: readonly string[],
): Promise<{ places: Places; walked: Set<string> }> {
  const walked = new Set<string>();
  const places = await walk(endpoints, async (endpoint, path, body, headers) => {
    const [method = ''] = endpoint.split(' ');
    const answer = await client.send(method, path, { body, headers });
    walked.add(endpoint);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return { body: answer.body, cookies: answer.headers.getSetCookie() };
  });
  return { places, walked };
}
