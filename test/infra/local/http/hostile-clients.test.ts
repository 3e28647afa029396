import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BOUNDS, type Bounds } from '#infra/local/http/bounds.ts';
import { trustedProxies } from '#infra/local/http/client-address.ts';
import { type Gateway, makeGateway } from '#infra/local/http/http.ts';
import type { Handler } from '#infra/local/invoke.ts';
import { type AppError, errorBody } from '#lib/platform/errors.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';

const KB = 1024;
const responseOf = (body: string, statusCode = 200): ApiResult => ({ statusCode, headers: {}, body });

let gateway: Gateway;
let port: number;
const open: Socket[] = [];

/** Reads up to 1 MB of a body. Responds with its length, or with the error. */
const reading = async ({ readBody }: ApiEvent): Promise<ApiResult> => {
  try {
    return responseOf(String((await readBody?.(KB * KB))?.length));
  } catch (error) {
    return responseOf(JSON.stringify(errorBody(error as AppError)), (error as AppError).status);
  }
};

async function start(
  bounds: Partial<Bounds>,
  api: (event: ApiEvent) => Promise<ApiResult> = reading,
  proxies: string[] = [],
  host = '127.0.0.1',
) {
  const options = {
    settings: readSettings({}),
    log: memoryLog(),
    bounds: { ...BOUNDS, ...bounds },
    proxies: trustedProxies(proxies),
  };
  gateway = makeGateway({ api: api as Handler, console: api as Handler }, options);
  port = await gateway.listen(host, 0);
}
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  const stopped = gateway.stop();
  gateway.cut();
  await stopped;
});

type Client = { socket: Socket; answer: () => string; closed: Promise<void>; isClosed: () => boolean };

/** Opens a connection that sends a text. Unless it `reads`, it leaves the response unread. */
function client(text: string, reads = true, host = '127.0.0.1'): Client {
  const socket = connect(port, host, () => socket.write(text));
  open.push(socket);
  let answer = '';
  let isClosed = false;
  if (reads) {
    socket.on('data', (chunk) => {
      answer += chunk;
    });
  } else socket.pause();
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isClosed = true;
      resolve();
    });
  });
  return { socket, answer: () => answer, closed, isClosed: () => isClosed };
}

const post = (length: number, headers = '') =>
  `POST / HTTP/1.1\r\nhost: h\r\n${headers}content-length: ${length}\r\n\r\n`;
const get = 'GET / HTTP/1.1\r\nhost: h\r\n\r\n';
const ask = async () => (await fetch(`http://127.0.0.1:${port}`)).status;

describe('connections', () => {
  it('are bounded per address; a surplus one is cut, and an ended one makes room', async () => {
    await start({ connections_of_address: 3 });
    const clients = Array.from({ length: 5 }, () => client(''));
    await vi.waitFor(() => expect(clients.filter((one) => one.isClosed())).toHaveLength(2));
    await expect(ask()).rejects.toThrow();
    clients.find((one) => !one.isClosed())!.socket.destroy();
    await vi.waitFor(async () => expect(await ask()).toBe(200));
  });

  it.each(['127.0.0.1', '::1'])('are not bounded for the trusted proxy %s, which serves many clients', async (host) => {
    await start({ connections_of_address: 3 }, reading, ['127.0.0.0/8', '::1'], host);
    const clients = Array.from({ length: 20 }, () => client(get, true, host));
    await vi.waitFor(() => expect(clients.filter((one) => one.answer() !== '')).toHaveLength(20));
    expect(clients.filter((one) => one.isClosed())).toHaveLength(0);
  });

  it('are bounded in total, and idle ones give way to requests', async () => {
    await start({ connections: 10 }, reading, ['127.0.0.0/8']);
    const idle = Array.from({ length: 9 }, () => client(get));
    await vi.waitFor(() => expect(idle.every((one) => one.answer() !== '')).toBe(true));
    for (let i = 0; i < 3; i++) expect(await ask()).toBe(200);
  });

  it('are closed if they send nothing or never end their headers', async () => {
    await start({ headers_ms: 100 });
    await Promise.all([client('').closed, client('GET / HTTP/1.1\r\nhost: h\r\nx').closed]);
    expect(await ask()).toBe(200);
  });

  it('are closed if a body never ends, and its memory is freed', async () => {
    await start({ request_ms: 200, headers_ms: 200, body_bytes_of_address: 100 * KB });
    for (let round = 0; round < 3; round++) {
      const slow = client(post(1000 * KB) + 'x'.repeat(90 * KB));
      await slow.closed;
      expect(slow.answer()).toMatch(/^HTTP\/1.1 408 /);
    }
  });
});

describe('bodies', () => {
  it('have bounded memory: too much at once gets 429, small ones are always accepted', async () => {
    await start({ body_bytes_of_address: 100 * KB, small_body_bytes: 4 * KB });
    const holding = client(post(1000 * KB) + 'x'.repeat(90 * KB));
    await pause(100);
    const refused = client(post(50 * KB) + 'x'.repeat(50 * KB));
    await vi.waitFor(() => expect(refused.answer()).toContain('RATE_LIMITED'));
    expect(refused.answer()).toMatch(/^HTTP\/1.1 429 /);
    const small = client(post(3 * KB) + 'x'.repeat(3 * KB));
    await vi.waitFor(() => expect(small.answer()).toContain(String(3 * KB)));
    holding.socket.destroy();
    await vi.waitFor(async () => {
      const after = client(post(50 * KB) + 'x'.repeat(50 * KB));
      await vi.waitFor(() => expect(after.answer()).not.toBe(''));
      expect(after.answer()).toContain(String(50 * KB));
    });
  });

  it('have separate memory per address', async () => {
    await start({ body_bytes_of_address: 100 * KB }, reading, ['127.0.0.0/8']);
    const from = (address: string) => `x-forwarded-for: ${address}\r\n`;
    client(post(1000 * KB, from('192.0.2.1')) + 'x'.repeat(90 * KB));
    await pause(100);
    const other = client(post(50 * KB, from('192.0.2.2')) + 'x'.repeat(50 * KB));
    await vi.waitFor(() => expect(other.answer()).toContain(String(50 * KB)));
  });

  it('are not read if their content-length is too large', async () => {
    let read: Promise<Buffer | undefined> | undefined;
    await start({}, async ({ readBody }) => {
      read = readBody!(1000);
      return responseOf(String(await read));
    });
    const large = client(post(1001));
    await vi.waitFor(() => expect(large.answer()).toMatch(/undefined$/));
  });
});

describe('responses', () => {
  const large = 'x'.repeat(20_000 * KB);

  /** Reads the response that a client left unread, until it is complete or cut. @returns the number of bytes */
  async function drain({ socket, isClosed }: Client): Promise<number> {
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    socket.resume();
    await vi.waitFor(() => expect(isClosed() || bytes >= large.length).toBe(true), 8000);
    return bytes;
  }

  it('are cut if they are not read; a reading client gets everything', async () => {
    await start({ stall_ms: 200 }, async () => responseOf(large));
    const slow = client(get, false);
    const reader = client(get.replace('host: h', 'host: h\r\nconnection: close'));
    await reader.closed;
    expect(reader.answer().length).toBeGreaterThan(large.length);
    await pause(1000);
    expect(await drain(slow)).toBeLessThan(large.length);
  });

  it('are bounded while unread: the oldest one of the address with the largest total is cut first', async () => {
    await start({ response_bytes: 50_000 * KB }, async () => responseOf(large), ['127.0.0.0/8']);
    const from = (address: string) => client(get.replace('host: h', `host: h\r\nx-forwarded-for: ${address}`), false);
    const patient = from('192.0.2.2');
    await pause(100);
    const greedy: Client[] = [];
    for (let i = 0; i < 5; i++) {
      greedy.push(from('192.0.2.1'));
      await pause(100);
    }
    expect(await drain(patient)).toBeGreaterThan(large.length);
    const taken = await Promise.all(greedy.map(drain));
    expect(taken.filter((bytes) => bytes < large.length)).toHaveLength(4);
    expect(taken.at(-1)).toBeGreaterThan(large.length);
  });
});
