import {
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { KeyAndCertificate } from './certificates.ts';

/** Response for a service: its health, a gRPC status, or bytes instead of a message. */
type HealthResponse = { health: number } | { code: status; details: string } | { bytes: Buffer };

const HEALTH: ServiceDefinition = {
  check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: (value: Buffer) => value,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
};

/** Returns the service named in a HealthCheckRequest, its only field. */
function serviceIn(request: Buffer): string {
  if (request.length === 0) return '';
  const long = request[1]! >= 128;
  return request.toString('utf8', long ? 3 : 2);
}

/**
 * Starts a real gRPC server (@grpc/grpc-js) on a free port of loopback.
 * @param respond response for a service; undefined if the server has no health service
 */
export async function grpcServer(
  respond: ((service: string) => HealthResponse) | undefined,
  tls?: KeyAndCertificate,
  host = '127.77.0.1',
): Promise<AsyncDisposable & { host: string; port: number }> {
  const server = new Server();
  const implementation: UntypedServiceImplementation = {
    check: (call: { request: Buffer }, done: (error: object | null, reply?: Buffer) => void) => {
      const given = respond!(serviceIn(call.request));
      if ('bytes' in given) done(null, given.bytes);
      else if ('code' in given) done(given);
      else done(null, given.health === 0 ? Buffer.alloc(0) : Buffer.from([0x08, given.health]));
    },
  };
  if (respond) server.addService(HEALTH, implementation);
  const credentials = tls
    ? ServerCredentials.createSsl(null, [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:0`, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { host, port, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}
