import { lazyFunction } from '#lib/platform/lazy.ts';
import { blockList } from './address-ranges.ts';
import { connectionOf } from './connection.ts';
import { allowHost, type Resolve } from './egress.ts';
import { http } from './http-exchange.ts';
import type { Net } from './net.ts';
import { addressesOf, openSocket } from './open-socket.ts';
import { withDeadline } from './request-timeout.ts';
import { systemResolver } from './system-resolver.ts';

const resolveRecords = lazyFunction(async () => (await import('#lib/net/dns-query.ts')).resolveRecords);

/**
 * Returns a `Net` on Node's sockets. Only the AWS SDK, the S3 requests for published files, and the clients of NATS and
 * of the mail server open their own connections. Throws an error if EGRESS_ALLOW is not a list of CIDRs.
 */
export function makeNet(settings: { EGRESS_ALLOW: readonly string[] }, resolve: Resolve = systemResolver()): Net {
  const allow = settings.EGRESS_ALLOW;
  try {
    blockList(allow);
  } catch (cause) {
    throw new Error(`EGRESS_ALLOW: ${(cause as Error).message}`, { cause });
  }
  const guard = { allow, resolve };

  return {
    http: (request) => http(guard, request),

    open: ({ host, port, timeout_ms, egress, tls }, work) =>
      withDeadline(timeout_ms, async (deadline) => {
        const started = performance.now();
        const open = await openSocket(guard, allowHost(host, egress, allow), port, egress, deadline);
        const connection = connectionOf(open, { host, started, deadline });
        if (tls) await connection.secure(tls);
        return work(connection);
      }),

    resolve: (request) => resolveRecords(guard, request),

    guard: ({ host, timeout_ms, egress }) =>
      withDeadline(timeout_ms, async (deadline) => {
        await addressesOf(guard, allowHost(host, egress, allow), egress, deadline);
      }),
  };
}
