import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A message without compression, of 2 bytes: a HealthCheckResponse whose status is SERVING. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 0x08, 1]);

/** A gRPC server without TLS whose every service is well (grpc.health.v1, the protocol of gRPC over HTTP2). */
export async function startDemoGrpc(): Promise<{ port: number; stop(): void }> {
  const server = createServer();
  server.on('stream', (stream) => {
    // A caller that goes away takes its answer with it.
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
