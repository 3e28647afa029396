import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { makeNet } from '#lib/net/node-net.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeLanes } from '#lib/results/probe/lanes.ts';
import { readSettings } from '#lib/settings.ts';

/**
 * Measures 250 concurrent probes of targets that send responses in the worst ways. Depending on the way, the probes
 * search the body for an absent text, keep the body, or do not read it. Prints {<way>_memory_mb, <way>_cpu_s}: the
 * maximum growth of the memory of this process, and its CPU, for all 250. The targets are this file in its own process.
 */
const PROBES = 250;
const MB = 1024 * 1024;
const HEAD = 'HTTP/1.1 200 OK\r\n';

/** Response of a target by way: `head`, then `part` repeatedly until the client closes the connection. */
const ways: Record<string, { head: string; part: Buffer }> = {
  one_byte_chunks: {
    head: `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
    part: Buffer.from('1\r\na\r\n'.repeat(10_000)),
  },
  unread_chunks: { head: `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, part: Buffer.from('1\r\na\r\n'.repeat(10_000)) },
  small_chunks: {
    head: `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
    part: Buffer.from(`40\r\n${'a'.repeat(64)}\r\n`.repeat(1000)),
  },
  chunk_extensions: {
    head: `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
    part: Buffer.from(`40;${'e'.repeat(8000)}\r\n${'a'.repeat(64)}\r\n`.repeat(10)),
  },
  interim_responses: { head: '', part: Buffer.from('HTTP/1.1 102 \r\n\r\n'.repeat(4000)) },
  kept_bodies: { head: `${HEAD}Content-Length: ${MB}\r\n\r\n`, part: Buffer.alloc(64 * 1024, 'a') },
  whole_bodies: { head: `${HEAD}Content-Length: ${MB}\r\n\r\n`, part: Buffer.alloc(64 * 1024, 'a') },
};

if (process.argv[2] === 'target') {
  const server = createServer((socket) =>
    socket.on('error', () => {}).once('data', (request) => pour(socket, request)),
  );
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
} else {
  process.stdout.write(JSON.stringify(await measure()));
  process.exit();
}

function pour(socket: Socket, request: Buffer): void {
  const { head, part } = ways[/^GET \/(\w+)/.exec(`${request}`)![1]!]!;
  socket.write(head);
  const more = () => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', more);
  more();
}

async function measure(): Promise<Record<string, number>> {
  const targets = fork(import.meta.filename, ['target']);
  const [port] = await once(targets, 'message');
  const net = makeNet({ EGRESS_ALLOW: [] });
  const { large } = makeLanes({ clock: systemClock, settings: readSettings({}) });
  const probe = async (way: string): Promise<void> => {
    const over = Promise.withResolvers<void>();
    const waitForMemory = () =>
      new Promise<void>((enter) => {
        void large.run({ tenant: 'acc_1' }, () => {
          enter();
          return over.promise;
        });
      });
    const exchange = net.http({
      url: `http://127.0.0.1:${port}/${way}`,
      method: 'GET',
      timeout_ms: 30_000,
      max_body_bytes: way === 'unread_chunks' ? 0 : MB,
      ...(way === 'kept_bodies' && { reads_on: true, waitForMemory }),
      ...(way !== 'unread_chunks' && way !== 'kept_bodies' && { find: { texts: ['not there'], status: 200 } }),
      egress: 'any',
      max_redirects: 0,
    });
    await exchange.finally(over.resolve);
  };
  const figures: Record<string, number> = {};
  // This probe is not measured, because the first request loads modules.
  await probe('whole_bodies');
  for (const way of Object.keys(ways)) {
    let most = 0;
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before);
    }, 5);
    const cpu = process.cpuUsage();
    await Promise.allSettled(Array.from({ length: PROBES }, () => probe(way)));
    const { user, system } = process.cpuUsage(cpu);
    clearInterval(watch);
    figures[`${way}_memory_mb`] = Math.max(most, process.memoryUsage.rss() - before) / 2 ** 20;
    figures[`${way}_cpu_s`] = (user + system) / 1e6;
  }
  targets.disconnect();
  return figures;
}
