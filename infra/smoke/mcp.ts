import { type Call, expected, jsonOf, open, StepError } from './call.ts';

const PATH = '/v1/mcp';
const CLIENT = { capabilities: {}, clientInfo: { name: 'fleetwatch-smoke', version: '1' } };
/** An event that is not there by then is kept back by somebody on the way: the next keep-alive comes after 15 s. */
const EVENT_MS = 10_000;

const message = (method: string, params?: object, id?: number) => ({
  jsonrpc: '2.0',
  method,
  ...(id !== undefined && { id }),
  ...(params && { params }),
});

/** A session by POST: handshake, the notification that ends without a body, and the list of tools. */
export async function callsByPost(call: Call): Promise<string> {
  const hello = message('initialize', { ...CLIENT, protocolVersion: '2025-11-25' }, 1);
  const { result } = expected(await call('POST', PATH, hello), 200, 'initialize');
  expected(await call('POST', PATH, message('notifications/initialized')), 202, 'notifications/initialized');
  const listed = expected(await call('POST', PATH, message('tools/list', {}, 2)), 200, 'tools/list');
  if (!Array.isArray(listed?.result?.tools)) {
    throw new StepError(`tools/list answered no tools: ${JSON.stringify(listed).slice(0, 200)}`);
  }
  return `${result?.serverInfo?.name}, protocol ${result?.protocolVersion}, ${listed.result.tools.length} tools`;
}

/**
 * A stream of 2024-11-05: the address to post to comes as its first event, and the answer to what is posted there as
 * the next.
 */
export async function callsByStream(url: string, key: string): Promise<string> {
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
    // A client takes it as relative to the address of the stream.
    const posted = await open(new URL(endpoint.data, `${url}${PATH}`).href, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(message('initialize', { ...CLIENT, protocolVersion: '2024-11-05' }, 1)),
      signal: controller.signal,
    });
    expected(
      { status: posted.status, body: await jsonOf(posted, `POST ${endpoint.data}`) },
      202,
      'a call on the stream',
    );
    const asked = performance.now();
    const answer = JSON.parse((await next(events, 'message')).data);
    if (answer.id !== 1 || !answer.result) throw new StepError(`the stream answered ${JSON.stringify(answer)}`);
    return `the answer came ${Math.round(performance.now() - asked)} ms after its call was taken`;
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

type Event = { event: string; data: string };

/** The events of a stream; comments are left out. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const of = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (of('event') !== '') yield { event: of('event'), data: of('data') };
    }
  }
}

/** The next event, which must be of that kind and be there in time. */
async function next(events: AsyncGenerator<Event>, event: string): Promise<Event> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StepError(`the stream is open, but no event "${event}" came within ${EVENT_MS / 1000} s`)),
      EVENT_MS,
    );
  });
  try {
    const { value, done } = await Promise.race([events.next(), late]);
    if (done || value?.event !== event) {
      throw new StepError(`the stream ${done ? 'ended' : `sent "${value?.event}"`} where "${event}" was due`);
    }
    return value;
  } finally {
    clearTimeout(timer);
  }
}
