import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

export type NatsServer = { url: string; stop(): void };

/** Starts a real nats-server on a free port of loopback and waits until it accepts connections. */
export async function startNatsServer(binary: string): Promise<NatsServer> {
  const child = spawn(binary, ['--addr', '127.0.0.1', '--port', '-1'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await portOf(child);
  const first = connect(port, '127.0.0.1');
  await once(first, 'connect');
  first.destroy();
  return { url: `nats://127.0.0.1:${port}`, stop: () => void child.kill('SIGTERM') };
}

/** Reads the port from its log. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${log}`)));
    child.stderr!.on('data', (chunk: Buffer) => {
      log += chunk;
      const port = /Listening for client connections on [\d.]+:(\d+)/.exec(log)?.[1];
      if (port) resolve(Number(port));
    });
  });
}
