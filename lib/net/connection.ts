import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls';
import { canonicalHost } from './egress.ts';
import { type Connection, type Handshake, NetError } from './net.ts';
import { type OpenSocket, tlsHandshake } from './open-socket.ts';
import type { RequestTimeout } from './request-timeout.ts';

/** Returns why the peer's certificate is not trusted; empty if it is. @param now epoch ms */
export function certificateProblem(socket: TLSSocket, name: string, now: number): string {
  const certificate = socket.getPeerCertificate();
  if (!certificate?.valid_to) return 'the server sent no certificate';
  const day = (text: string) => new Date(text).toISOString().slice(0, 10);
  if (Date.parse(certificate.valid_to) <= now) return `certificate expired on ${day(certificate.valid_to)}: renew it`;
  if (Date.parse(certificate.valid_from) > now) return `certificate is not valid before ${day(certificate.valid_from)}`;
  if (checkServerIdentity(name, certificate)) return `certificate is for ${namesOf(certificate)}, not ${name}`;
  return socket.authorized ? '' : issuerProblem(String(socket.authorizationError), certificate);
}

function namesOf({ subjectaltname, subject }: PeerCertificate): string {
  const names = (subjectaltname ?? '')
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter(Boolean);
  if (names.length === 0) return [subject?.CN ?? 'an unnamed host'].flat().join(', ');
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

const issuerOf = ({ issuer }: PeerCertificate): string => [issuer?.O ?? issuer?.CN ?? ''].flat().join(', ');

function issuerProblem(code: string, certificate: PeerCertificate): string {
  const by = issuerOf(certificate) || 'an unnamed authority';
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'certificate is self-signed: no authority vouches for it';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `certificate comes from ${by}, which is not a trusted authority`;
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `certificate comes from ${by}: not a trusted authority, or the server leaves out its intermediate certificates`;
    case 'CERT_HAS_EXPIRED':
      return 'another certificate in the chain of the server has expired: replace the chain';
    case 'CERT_REVOKED':
      return 'certificate was revoked';
    default:
      return `certificate is not trusted (${code.toLowerCase().replaceAll('_', ' ')})`;
  }
}

/** `started`: time of the request, by performance.now(). */
type ConnectionInput = { host: string; started: number; deadline: RequestTimeout };

export function connectionOf({ socket, where }: OpenSocket, { host, started, deadline }: ConnectionInput): Connection {
  let stream = socket;
  let handshake: Handshake | undefined;
  const setAwaited = (awaited: string) => {
    deadline.stage = `connected to ${where}, waiting for ${awaited}`;
  };
  setAwaited('its answer');
  return {
    where,
    get stream() {
      return stream;
    },
    get handshake() {
      return handshake;
    },
    elapsed: () => Math.round(performance.now() - started),
    setAwaited,
    async secure({ servername = host, alpn, verify }) {
      const expectedName = canonicalHost(servername) ?? servername;
      const secured = await tlsHandshake(
        { socket: stream, where },
        { host: expectedName, literal: isIP(expectedName) !== 0 },
        deadline,
        alpn,
      );
      stream = secured;
      setAwaited('its answer');
      const certificate = secured.getPeerCertificate();
      const problem = certificateProblem(secured, expectedName, Date.now());
      handshake = {
        valid_from: Date.parse(certificate.valid_from),
        valid_to: Date.parse(certificate.valid_to),
        version: secured.getProtocol() ?? '',
        issuer: issuerOf(certificate),
        fingerprint_sha256: certificate.fingerprint256 ?? '',
        problem,
        protocol: secured.alpnProtocol || '',
      };
      if (verify && problem) throw new NetError('tls', problem, { answered: true });
      return handshake;
    },
  };
}
