import { type Call, expected, jsonOf, open, StepError } from './call.ts';

const PATH = '/v1/mcp';
const CLIENT = { capabilities: {}, clientInfo: { name: 'fleetwatch-smoke', version: '1' } };
/** Timeout of an event (ms). A slower event was buffered on its way until the next keep-alive, after 15 s. */
const EVENT_MS = 10_000;

const message = (method: string, params?: object, id?: number) => ({
  jsonrpc: '2.0',
  method,
  ...(id !== undefined && { id }),
  ...(params && { params }),
});

/** Opens a session by POST: handshake, a notification answered without a body, and the list of tools. */
export async function testMcpByPost(call: Call): Promise<string> {
  const hello = message('initialize', { ...CLIENT, protocolVersion: '2025-11-25' }, 1);
  const { result } = expected(await call('POST', PATH, hello), 200, 'initialize');
  expected(await call('POST', PATH, message('notifications/initialized')), 202, 'notifications/initialized');
  const listed = expected(await call('POST', PATH, message('tools/list', {}, 2)), 200, 'tools/list');
  if (!Array.isArray(listed?.result?.tools)) {
    throw new StepError(`tools/list returned no tools: ${JSON.stringify(listed).slice(0, 200)}`);
  }
  return `${result?.serverInfo?.name}, protocol ${result?.protocolVersion}, ${listed.result.tools.length} tools`;
}

/**
 * Opens a protocol 2024-11-05 stream. Its first event is the URL to post to, the next the response. Throws StepError.
 * @returns milliseconds from the acceptance of a request to its response
 */
export async function testMcpByStream(url: string, key: string): Promise<number> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 3 * EVENT_MS);
  const authorization = `Bearer ${key}`;
  try {
    const headers = { authorization, accept: 'text/event-stream' };
    const response = await open(`${url}${PATH}`, { method: 'GET', headers, signal: controller.signal });
    if (response.status !== 200 || !response.body) {
      expected({ status: response.status, body: await jsonOf(response, `GET ${PATH}`) }, 200, `GET ${PATH}`);
    }
    const events = eventsOf(response.body!);
    const endpoint = await next(events, 'endpoint');
    // Clients resolve the endpoint against the URL of the stream.
    const posted = await open(new URL(endpoint.data, `${url}${PATH}`).href, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(message('initialize', { ...CLIENT, protocolVersion: '2024-11-05' }, 1)),
      signal: controller.signal,
    });
    expected(
      { status: posted.status, body: await jsonOf(posted, `POST ${endpoint.data}`) },
      202,
      'a request on the stream',
    );
    const acceptedAt = performance.now();
    const reply = JSON.parse((await next(events, 'message')).data);
    if (reply.id !== 1 || !reply.result) throw new StepError(`the stream returned ${JSON.stringify(reply)}`);
    return Math.round(performance.now() - acceptedAt);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

type Event = { event: string; data: string };

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (field('event') !== '') yield { event: field('event'), data: field('data') };
    }
  }
}

async function next(events: AsyncGenerator<Event>, event: string): Promise<Event> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StepError(`the stream is open, but sent no event "${event}" within ${EVENT_MS / 1000} s`)),
      EVENT_MS,
    );
  });
  try {
    const { value, done } = await Promise.race([events.next(), timeout]);
    if (done || value?.event !== event) {
      throw new StepError(`the stream ${done ? 'ended' : `sent "${value?.event}"`} instead of "${event}"`);
    }
    return value;
  } finally {
    clearTimeout(timer);
  }
}
