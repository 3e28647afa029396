import { isIP } from 'node:net';
import { certificateProblem, issuerOf } from '#lib/net/connection.ts';
import { canonicalHost } from '#lib/net/egress.ts';
import { type Connection, type Handshake, NetError } from '#lib/net/net.ts';
import { type OpenSocket, secure } from '#lib/net/open-socket.ts';
import type { RequestTimeout } from '#lib/net/request-timeout.ts';

/** @param started when it was asked for, by performance.now() */
type Opened = { host: string; started: number; deadline: RequestTimeout };

/** An open socket as those see it who speak over it. */
export function connectionOf({ socket, where }: OpenSocket, { host, started, deadline }: Opened): Connection {
  let stream = socket;
  let handshake: Handshake | undefined;
  const waitFor = (what: string) => {
    deadline.stage = `connected to ${where}, waiting for ${what}`;
  };
  waitFor('its answer');
  return {
    where,
    get stream() {
      return stream;
    },
    get handshake() {
      return handshake;
    },
    elapsed: () => Math.round(performance.now() - started),
    waitFor,
    async secure({ servername = host, alpn, verify }) {
      const wanted = canonicalHost(servername) ?? servername;
      const secured = await secure(
        { socket: stream, where },
        { host: wanted, literal: isIP(wanted) !== 0 },
        deadline,
        alpn,
      );
      stream = secured;
      waitFor('its answer');
      const certificate = secured.getPeerCertificate();
      const problem = certificateProblem(secured, wanted, Date.now());
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
