import { type AddressInfo, createServer, type Socket } from 'node:net';

export type Published = { subject: string; headers: string; body: string };

export type NatsStandIn = { url: string; published: Published[]; close(): Promise<void> };

const INFO = { server_id: 'test', version: '2.12.0', proto: 1, max_payload: 1_048_576, headers: true };

/**
 * Starts a NATS server with the commands that a publisher needs: greeting, ping, publications with headers. Rejects
 * subjects under `denied.` like a server with permissions.
 * @param mute whether it answers only the first ping
 */
export async function startNats({ mute = false } = {}): Promise<NatsStandIn> {
  const published: Published[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffered = Buffer.alloc(0);
    let pings = 0;
    socket.on('error', () => {});
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`);
    socket.on('data', (chunk) => {
      buffered = Buffer.concat([buffered, chunk]);
      for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
        const [verb, subject = '', headerBytes, allBytes] = buffered.subarray(0, end).toString().split(' ');
        if (verb === 'PING' && (++pings === 1 || !mute)) socket.write('PONG\r\n');
        let used = end + 2;
        if (verb === 'HPUB') {
          if (buffered.length < used + Number(allBytes) + 2) return;
          const payload = buffered.subarray(used, used + Number(allBytes));
          const headers = payload.subarray(0, Number(headerBytes)).toString();
          used += Number(allBytes) + 2;
          if (subject.startsWith('denied.'))
            socket.write(`-ERR 'Permissions Violation for Publish to "${subject}"'\r\n`);
          else published.push({ subject, headers, body: payload.subarray(Number(headerBytes)).toString() });
        }
        buffered = buffered.subarray(used);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    published,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
