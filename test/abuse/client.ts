import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** `body` is parsed; undefined when there was none. */
// biome-ignore lint/suspicious/noExplicitAny: what is asked answers in every shape
export type Answer = { status: number; headers: IncomingHttpHeaders; body: any };

const LIMIT_MS = 20_000;
/** How long one call goes on when it is asked to come again later. */
const PATIENCE_MS = 120_000;

/**
 * Calls a service with one key. Unlike the client of the other tests it holds no answer to this checkout's description
 * of the API, as the service may run other code.
 */
export class Caller {
  readonly url: string;
  readonly key: string;
  readonly #agent: Agent;

  /** @param from the address of this machine that it calls from */
  constructor(url: string, key: string, from: string) {
    this.url = url;
    this.key = key;
    this.#agent = new Agent({ keepAlive: true, localAddress: from });
  }

  /** One request, whatever its answer. Rejects when there is none, as after 20 s. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const call = request(this.url + path, {
      method,
      agent: this.#agent,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    call.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return {
      status: response.statusCode!,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** A request that is sent again when it is asked to come later (429), and must succeed then. Answers its record. */
  async need(method: string, path: string, body?: unknown): Promise<Answer['body']> {
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const answer = await this.ask(method, path, body);
      if (answer.status < 300) return answer.body;
      if (answer.status !== 429 || Date.now() > until) {
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      await pause(1000 * Number(answer.headers['retry-after'] ?? 1));
    }
  }

  /** Every record of a list that answers `{results, next_cursor}` or an array. */
  async all(path: string): Promise<Answer['body'][]> {
    const all: Answer['body'][] = [];
    const more = path.includes('?') ? '&' : '?';
    for (let cursor: string | null = null; ; ) {
      const next: string = cursor === null ? path : `${path}${more}cursor=${encodeURIComponent(cursor)}`;
      const { status, headers, body }: Answer = await this.ask('GET', next);
      if (status !== 200) throw new Error(`GET ${next} answered ${status}: ${JSON.stringify(body)}`);
      all.push(...(Array.isArray(body) ? body : body.results));
      const link = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
      cursor = link === undefined ? (body.next_cursor ?? null) : decodeURIComponent(link);
      if (cursor === null) return all;
    }
  }
}

/** A new entity of the blueprint `service`, which must be there. */
export async function newEntity(caller: Caller, slug: string, fields: object = {}): Promise<string> {
  const made = await caller.need('POST', '/v1/blueprints/service/entities', { slug, name: slug, fields });
  return made.id;
}

/** A push check that is down after one failure and alerts each time, now up, with channels to these URLs. */
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

/** The body of a push. */
export const push = (success: boolean): object => ({ success, latency_ms: 1 });

/** How many slots of some checks have no result, by cause. */
export async function gapsOf(caller: Caller, checks: string[]): Promise<Record<string, number>> {
  const causes: Record<string, number> = {};
  for (const id of checks) {
    for (const { cause, slots } of await caller.all(`/v1/checks/${id}/gaps`)) {
      causes[cause] = (causes[cause] ?? 0) + slots;
    }
  }
  return causes;
}
