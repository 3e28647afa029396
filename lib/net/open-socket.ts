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

/** What the guard needs beside a request: EGRESS_ALLOW and the look-up of names. */
export type Guard = { allow: readonly string[]; resolve: Resolve };

/** Looks an allowed host up, and allows or refuses the addresses it finds. */
export async function addressesOf(
  guard: Guard,
  verdict: EgressDecision,
  egress: Egress,
  deadline: RequestTimeout,
): Promise<string[]> {
  if (!verdict.ok || verdict.literal) return resolveAllowed(verdict, egress, guard.allow, guard.resolve);
  deadline.stage = `looking up ${verdict.host}`;
  try {
    return await resolveAllowed(verdict, egress, guard.allow, guard.resolve);
  } catch (error) {
    throw lookUpError(error as Error, verdict.host);
  } finally {
    deadline.check();
  }
}

export type OpenSocket = { socket: Socket; where: string };

/** How long one of several addresses is tried before the next. */
const NEXT_ADDRESS_MS = 1_000;

/** Connects to an allowed host: to the allowed addresses and no others. */
export async function openSocket(
  guard: Guard,
  verdict: EgressDecision,
  port: number,
  egress: Egress,
  deadline: RequestTimeout,
): Promise<OpenSocket> {
  const addresses = await addressesOf(guard, verdict, egress, deadline);
  const where = describe(verdict, addresses, port);
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
  // For the socket's whole life: an error after the exchange is ignored.
  socket.on('error', ignore);
  deadline.hold(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', (error) => reject(connectError(error, where)));
  });
  // Nothing should be able to change the address after it was allowed; if something does, this is the last gate. Where
  // there was but one address there was nothing to choose, and asking the system which it was is a call of its own.
  const reached = addresses.length > 1 ? socket.remoteAddress : undefined;
  const isOther = reached !== undefined && !addresses.includes(reached);
  if (isOther && blockedReason(reached, egress, guard.allow))
    throw new NetError('egress', `refused: ${where} led to an address that may not be reached from here`);
  return { socket, where };
}

let context: SecureContext | undefined;

/** Without DHE: the server picks its group, and one of 10,000 bits holds our event loop for most of a second. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`;

/**
 * A TLS handshake on an open socket. Whatever the certificate is, the handshake succeeds: `socket.authorized` says
 * whether to trust it, and nothing is sent before the caller has looked.
 * @param name who we want, for SNI and the certificate
 */
export async function secure(
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

function describe(verdict: EgressDecision, addresses: string[], port: number): string {
  const at = (address: string) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`);
  if (!verdict.ok || verdict.literal) return at(addresses[0]!);
  return addresses.length === 1 ? `${verdict.host}:${port} (${addresses[0]})` : `${verdict.host}:${port}`;
}
