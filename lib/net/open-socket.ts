import { connect, type LookupFunction, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { blockedReason } from './address-ranges.ts';
import { type EgressDecision, type Resolve, resolveAllowed } from './egress.ts';
import { type Egress, NetError } from './net.ts';
import { connectError, handshakeError, lookUpError } from './net-errors.ts';
import type { RequestTimeout } from './request-timeout.ts';

export type Guard = { allow: readonly string[]; resolve: Resolve };

/** Resolves an allowed host and checks its addresses. */
export async function addressesOf(
  guard: Guard,
  decision: EgressDecision,
  egress: Egress,
  deadline: RequestTimeout,
): Promise<string[]> {
  if (!decision.ok || decision.literal) return resolveAllowed(decision, egress, guard.allow, guard.resolve);
  deadline.stage = `looking up ${decision.host}`;
  try {
    return await resolveAllowed(decision, egress, guard.allow, guard.resolve);
  } catch (error) {
    throw lookUpError(error as Error, decision.host);
  } finally {
    deadline.check();
  }
}

export type OpenSocket = { socket: Socket; where: string };

/** Maximum time (ms) for one of several addresses before the next one is tried. */
const NEXT_ADDRESS_MS = 1_000;

/** Connects to an allowed host, only at its allowed addresses. */
export async function openSocket(
  guard: Guard,
  decision: EgressDecision,
  port: number,
  egress: Egress,
  deadline: RequestTimeout,
): Promise<OpenSocket> {
  const addresses = await addressesOf(guard, decision, egress, deadline);
  const where = describe(decision, addresses, port);
  deadline.stage = `connecting to ${where}`;
  const socket =
    addresses.length === 1
      ? connect({ host: addresses[0]!, port })
      : connect({
          host: 'allowed',
          port,
          lookup: pinned(addresses),
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: Math.max(
            10,
            Math.min(NEXT_ADDRESS_MS, deadline.timeout_ms / addresses.length),
          ),
        });
  // Errors after the exchange are ignored.
  socket.on('error', ignore);
  deadline.hold(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', (error) => reject(connectError(error, where)));
  });
  // Checks that the address is an allowed one. A single address leaves no choice, and reading it costs a system call.
  const connected = addresses.length > 1 ? socket.remoteAddress : undefined;
  const isOther = connected !== undefined && !addresses.includes(connected);
  if (isOther && blockedReason(connected, egress, guard.allow))
    throw new NetError('egress', `refused: ${where} led to an address to which connections are not allowed`);
  return { socket, where };
}

let context: SecureContext | undefined;

/** Without DHE: the server chooses the group, and a group of 10,000 bits blocks the event loop for most of a second. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`;

/** Performs a TLS handshake. It succeeds with any certificate: check `socket.authorized` before you send anything. */
export async function tlsHandshake(
  { socket: plain, where }: OpenSocket,
  name: { host: string; literal: boolean },
  deadline: RequestTimeout,
  alpn?: string[],
): Promise<TLSSocket> {
  deadline.stage = `connected to ${where}, waiting for the TLS handshake`;
  context ??= createSecureContext({ ciphers: CIPHERS });
  const socket = connectTls({
    socket: plain,
    host: name.host,
    ...(!name.literal && { servername: name.host }),
    ...(alpn && { ALPNProtocols: alpn }),
    secureContext: context,
    rejectUnauthorized: false,
  });
  socket.on('error', ignore);
  deadline.release();
  deadline.hold(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', (error) => reject(handshakeError(error, where)));
  });
  return socket;
}

const ignore = () => {};

const pinned =
  (addresses: string[]): LookupFunction =>
  (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

function describe(decision: EgressDecision, addresses: string[], port: number): string {
  const at = (address: string) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`);
  if (!decision.ok || decision.literal) return at(addresses[0]!);
  return addresses.length === 1 ? `${decision.host}:${port} (${addresses[0]})` : `${decision.host}:${port}`;
}
