import { isIP } from 'node:net';
import type { Settings } from '#lib/platform/settings.ts';
import { certificateProblem, issuerOf } from './certificate.ts';
import { resolveRecords } from './dns-query.ts';
import { allowHost, blockList, canonicalHost, type Resolve } from './egress.ts';
import { http } from './http-exchange.ts';
import type { Net } from './net.ts';
import { addressesOf, openSocket, secure } from './open-socket.ts';
import { withDeadline } from './request-timeout.ts';
import { systemResolver } from './system-resolver.ts';

/**
 * The network as everything but the AWS SDK reaches it, over node's own sockets. Throws a sentence when EGRESS_ALLOW
 * is not a list of CIDRs.
 * @param resolve names to addresses; by default as this machine sees them
 */
export function makeNet(settings: Pick<Settings, 'EGRESS_ALLOW'>, resolve: Resolve = systemResolver()): Net {
  const allow = settings.EGRESS_ALLOW;
  try {
    blockList(allow);
  } catch (cause) {
    throw new Error(`EGRESS_ALLOW: ${(cause as Error).message}`, { cause });
  }
  const guard = { allow, resolve };
  const elapsed = (started: number) => Math.round(performance.now() - started);

  return {
    http: (request) => http(guard, request),

    connect: ({ host, port, timeout_ms, egress }) =>
      withDeadline(timeout_ms, async (deadline) => {
        const started = performance.now();
        await openSocket(guard, allowHost(host, egress, allow), port, egress, deadline);
        return { latency_ms: elapsed(started) };
      }),

    tls: ({ host, port, timeout_ms, egress, servername = host }) =>
      withDeadline(timeout_ms, async (deadline) => {
        const started = performance.now();
        const open = await openSocket(guard, allowHost(host, egress, allow), port, egress, deadline);
        const wanted = canonicalHost(servername) ?? servername;
        const socket = await secure(open, { host: wanted, literal: isIP(wanted) !== 0 }, deadline);
        const latency_ms = elapsed(started);
        const certificate = socket.getPeerCertificate();
        return {
          latency_ms,
          valid_from: Date.parse(certificate.valid_from),
          valid_to: Date.parse(certificate.valid_to),
          version: socket.getProtocol() ?? '',
          issuer: issuerOf(certificate),
          fingerprint_sha256: certificate.fingerprint256 ?? '',
          problem: certificateProblem(socket, wanted, Date.now()),
        };
      }),

    resolve: (request) => resolveRecords(guard, request),

    guard: ({ host, timeout_ms, egress }) =>
      withDeadline(timeout_ms, async (deadline) => {
        await addressesOf(guard, allowHost(host, egress, allow), egress, deadline);
      }),
  };
}
