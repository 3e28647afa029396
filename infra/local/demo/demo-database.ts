import { type AddressInfo, createServer } from 'node:net';

/** Starts a server that responds to everything as Redis does to PING. */
export async function startDemoDatabase(): Promise<{ port: number; stop(): void }> {
  const server = createServer((socket) => {
    // The client may disconnect before the response.
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.write('+PONG\r\n'));
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => server.close() };
}
