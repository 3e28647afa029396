import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { ipv6Groups } from '#lib/platform/ipv6.ts';
import { parseServer } from './dns-server-address.ts';
import { allowHost } from './egress.ts';
import { type DnsRcode, type DnsReply, type DnsRequest, NetError, type RecordType } from './net.ts';
import type { Guard } from './open-socket.ts';
import { withDeadline } from './request-timeout.ts';

/** Implements `Net.resolve`. Each query has its own resolver, so that the deadline can cancel it. */
export function resolveRecords(guard: Guard, request: DnsRequest): Promise<DnsReply> {
  const started = performance.now();
  return withDeadline(request.timeout_ms, async (deadline) => {
    const resolver = new dns.Resolver({ timeout: Math.max(10, Math.ceil(request.timeout_ms / 3)), tries: 2 });
    const server = request.resolver === undefined ? undefined : allowedServer(guard, request.resolver, request);
    if (server !== undefined) resolver.setServers([server]);
    const question = `${server ?? 'the DNS server'} for ${request.type} of ${request.hostname}`;
    deadline.stage = `asked ${question}`;
    deadline.hold({ destroy: () => resolver.cancel() });
    try {
      const values = await RESOLVE[request.type](resolver, request.hostname);
      if (values.length === 0) throw Object.assign(new Error('no record'), { code: 'ENODATA' });
      return { values, latency_ms: Math.round(performance.now() - started) };
    } catch (error) {
      throw queryError(error as Error & { code?: string }, request, server);
    }
  });
}

function allowedServer(guard: Guard, text: string, { egress }: DnsRequest): string {
  const server = parseServer(text);
  if (!server)
    throw new NetError('dns', `${text} is not the address of a DNS server, such as 192.0.2.1 or 192.0.2.1:53`);
  const decision = allowHost(server.host, egress, guard.allow);
  if (!decision.ok) throw new NetError('egress', `refused: ${decision.reason}`);
  return server.host.includes(':') ? `[${server.host}]:${server.port}` : `${server.host}:${server.port}`;
}

const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name);

function reverseName(name: string): string {
  const family = isIP(name);
  if (family === 4) return `${name.split('.').reverse().join('.')}.in-addr.arpa`;
  if (family === 0) return name;
  const digits = ipv6Groups(name)
    .map((group) => group.padStart(4, '0'))
    .join('');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

const RESOLVE: Record<RecordType, (resolver: dns.Resolver, name: string) => Promise<string[]>> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CNAME: async (resolver, name) => (await resolver.resolveCname(name)).map(withoutDot),
  NS: async (resolver, name) => (await resolver.resolveNs(name)).map(withoutDot),
  PTR: async (resolver, name) => (await resolver.resolvePtr(reverseName(name))).map(withoutDot),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).map((chunks) => chunks.join('')),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${withoutDot(exchange)}`),
  SRV: async (resolver, name) =>
    (await resolver.resolveSrv(name)).map(
      ({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${withoutDot(target)}`,
    ),
  SOA: async (resolver, name) => {
    const soa = await resolver.resolveSoa(name);
    return [
      [
        withoutDot(soa.nsname),
        withoutDot(soa.hostmaster),
        soa.serial,
        soa.refresh,
        soa.retry,
        soa.expire,
        soa.minttl,
      ].join(' '),
    ];
  },
  CAA: async (resolver, name) =>
    (await resolver.resolveCaa(name)).map(({ critical, ...property }) => {
      const [tag, value] = Object.entries(property).find(([key]) => key !== 'type') ?? ['', ''];
      return `${critical} ${tag} "${value}"`;
    }),
};

function queryError(
  error: Error & { code?: string },
  { hostname, type }: DnsRequest,
  server: string | undefined,
): Error {
  if (error instanceof NetError) return error;
  const from = server ?? 'the DNS server';
  const failure = (message: string, answered: boolean, rcode?: DnsRcode) => {
    const netError = new NetError('dns', message, { answered, cause: error });
    if (rcode) netError.rcode = rcode;
    return netError;
  };
  switch (error.code) {
    case 'ENOTFOUND':
      return failure(`the name ${hostname} does not exist (NXDOMAIN), says ${from}`, true, 'NXDOMAIN');
    case 'ENODATA':
      return failure(`${hostname} has no ${type} record, says ${from}`, true, 'NOERROR');
    // Not proof that the peer answered: a local resolver without a network responds like this too.
    case 'ESERVFAIL':
      return failure(`${from} failed to answer (SERVFAIL) for ${type} of ${hostname}`, false, 'SERVFAIL');
    case 'EREFUSED':
      return failure(`${from} refused to answer (REFUSED) for ${type} of ${hostname}`, false, 'REFUSED');
    case 'ECONNREFUSED':
      return failure(`${from} refused the connection`, true);
    case 'ETIMEOUT':
      return new NetError('timeout', `no answer from ${from} for ${type} of ${hostname}`, { cause: error });
    case 'EBADNAME':
      return failure(`${hostname} is not a valid DNS name`, true);
    case 'EFORMERR':
    case 'ENOTIMP':
      return failure(`${from} rejected the query (${error.code.slice(1)}) for ${type} of ${hostname}`, true);
    case 'EBADRESP':
      return failure(`${from} sent an invalid DNS response (${error.code.slice(1)}) for ${type} of ${hostname}`, true);
    default:
      return failure(
        `the DNS query to ${from} for ${type} of ${hostname} failed (${error.code ?? error.message})`,
        false,
      );
  }
}
