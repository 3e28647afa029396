import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A message without compression, of 2 bytes: a HealthCheckResponse whose status is SERVING. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 0x08, 1]);

/** Starts a gRPC server without TLS whose services are all healthy (grpc.health.v1, gRPC over HTTP2). */
export async function startDemoGrpc(): Promise<{ port: number; stop(): void }> {
  const server = createServer();
  server.on('stream', (stream) => {
    // The client may disconnect before the response.
    stream.on('error', () => stream.close());
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.end(SERVING);
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => server.close() };
}
