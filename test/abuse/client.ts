import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** A response. `body` is parsed if it is JSON, else a text. */
// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
export type ApiResponse = { status: number; headers: IncomingHttpHeaders; body: any };

const TIMEOUT_MS = 20_000;
/** Maximum time for which a request is repeated after 429. */
const PATIENCE_MS = 120_000;

/**
 * Calls a service with one key. Unlike the client of the other tests it does not validate responses against the API
 * description of this checkout, because the service can run other code.
 */
export class Caller {
  readonly url: string;
  readonly key: string;
  readonly #agent: Agent;

  /** @param from local address of its connections */
  constructor(url: string, key: string, from: string) {
    this.url = url;
    this.key = key;
    this.#agent = new Agent({ keepAlive: true, localAddress: from });
  }

  /** Sends one request and returns its response, with any status. Rejects if none arrives within 20 s. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const call = request(this.url + path, {
      method,
      agent: this.#agent,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    call.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return {
      status: response.statusCode!,
      headers: response.headers,
      body: /json/.test(response.headers['content-type'] ?? '') ? JSON.parse(text) : text,
    };
  }

  /** Sends a request, and again after each 429. Rejects after any other error. @returns the body of the response */
  async need(method: string, path: string, body?: unknown): Promise<ApiResponse['body']> {
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const response = await this.send(method, path, body);
      if (response.status < 300) return response.body;
      if (response.status !== 429 || Date.now() > until) {
        throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
      }
      await pause(1000 * Number(response.headers['retry-after'] ?? 1));
    }
  }

  /** Returns every record of a list that returns `{results, next_cursor}` or an array. */
  async all(path: string): Promise<ApiResponse['body'][]> {
    const all: ApiResponse['body'][] = [];
    const more = path.includes('?') ? '&' : '?';
    for (let cursor: string | null = null; ; ) {
      const next: string = cursor === null ? path : `${path}${more}cursor=${encodeURIComponent(cursor)}`;
      const { status, headers, body }: ApiResponse = await this.send('GET', next);
      if (status !== 200) throw new Error(`GET ${next} returned ${status}: ${JSON.stringify(body)}`);
      all.push(...(Array.isArray(body) ? body : body.results));
      const link = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
      cursor = link === undefined ? (body.next_cursor ?? null) : decodeURIComponent(link);
      if (cursor === null) return all;
    }
  }
}

/** Creates an entity of the existing blueprint `service`. @returns its id */
export async function newEntity(caller: Caller, slug: string, fields: object = {}): Promise<string> {
  const made = await caller.need('POST', '/v1/blueprints/service/entities', { slug, name: slug, fields });
  return made.id;
}

/** Creates a push check that is up, goes down after one failure and alerts each time, with channels to these URLs. */
export async function newPushCheck(caller: Caller, entity_id: string, urls: string[]): Promise<string> {
  const settings = { entity_id, check_type: 'push', interval_seconds: 3600, failure_threshold: 1 };
  const { id } = await caller.need('POST', '/v1/checks', settings);
  await caller.need('POST', `/v1/checks/${id}/policy`, { cooldown_seconds: 0 });
  for (const url of urls) {
    await caller.need('POST', `/v1/checks/${id}/policy/channels`, { channel_type: 'slack', config: { url } });
  }
  await caller.need('POST', `/v1/checks/${id}/results`, push(true));
  return id;
}

/** Returns the body of a push. */
export const push = (success: boolean): object => ({ success, latency_ms: 1 });

/** Returns the number of slots without a result, by cause. */
export async function gapsOf(caller: Caller, checks: string[]): Promise<Record<string, number>> {
  const causes: Record<string, number> = {};
  for (const id of checks) {
    for (const { cause, slots } of await caller.all(`/v1/checks/${id}/gaps`)) {
      causes[cause] = (causes[cause] ?? 0) + slots;
    }
  }
  return causes;
}
