import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { makeAuthority } from '#test/support/certificates.ts';

/** Starts an https server in its own process, with a chain of two certificates, that responds after `ms`. */
export async function startTlsTarget(ms: number): Promise<{ url: string; close(): Promise<void> }> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [String(ms)]);
  const [port] = await once(child, 'message');
  return {
    url: `https://127.0.0.1:${port}/`,
    close: async () => {
      const gone = once(child, 'close');
      child.kill();
      await gone;
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const authority = await makeAuthority();
  const { key, cert } = await authority.issue({ names: ['localhost'] });
  const wait = Number(process.argv[2]);
  const server = createServer({ key, cert: `${cert}\n${authority.cert}` }, (_request, response) => {
    setTimeout(() => response.end('ok'), wait);
  });
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
}
