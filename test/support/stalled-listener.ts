import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const PROGRAM = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: process.argv[1], backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/**
 * Starts a listener that never accepts and whose backlog is full. Connection attempts get no response, like from a
 * firewall that drops packets. The listener has its own process, because node accepts connections whenever it runs.
 */
export async function stalledListener(host = '127.77.0.9'): Promise<AsyncDisposable & { host: string; port: number }> {
  const child = spawn(process.execPath, ['-e', PROGRAM, host], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(child.stdout, 'data');
  const port = Number(String(output));
  const waiting: Socket[] = [];
  while (await accepted(waiting, host, port)) {
    if (waiting.length > 20) throw new Error('The backlog of the stalled listener does not fill up.');
  }
  return {
    host,
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Whether another connection is established within 300 ms. */
function accepted(waiting: Socket[], host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  waiting.push(socket);
  socket.on('error', () => {});
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 300, false);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
