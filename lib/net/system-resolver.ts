import { promises as dns } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { systemClock } from '#lib/platform/clock.ts';
import { FairSemaphore, NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import type { Resolve } from './egress.ts';

/**
 * Returns a resolver that uses the hosts file, then DNS. getaddrinfo (dns.lookup) covers both, but it uses the four
 * threads of libuv and cannot be canceled: a few dead names would delay all other probes and the store. So only local
 * names (one label, .local: search domains, mDNS) use it; others use c-ares, which does not read the hosts file.
 * @param from path of a hosts file, and DNS servers to use instead of resolv.conf
 */
export function systemResolver(from: { hostsFile?: string; servers?: string[] } = {}): Resolve {
  const hosts = hostsReader(from.hostsFile ?? '/etc/hosts');
  const dnsNames = dnsResolver(from.servers);
  const localNames = localResolver();
  return async (name) => {
    const lowerName = name.toLowerCase();
    const known = hosts().get(lowerName);
    if (known) return known;
    if (lowerName === 'localhost' || lowerName.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    return !lowerName.includes('.') || lowerName.endsWith('.local') ? localNames(lowerName) : dnsNames(lowerName);
  };
}

const HOSTS_RECHECK_MS = 5_000;

function hostsReader(path: string): () => ReadonlyMap<string, string[]> {
  let names: ReadonlyMap<string, string[]> = new Map();
  let changed = -1;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - checkedAt < HOSTS_RECHECK_MS) return names;
    checkedAt = now;
    const mtime = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
    if (mtime !== changed) names = mtime === -1 ? new Map() : parseHosts(readFileSync(path, 'utf8'));
    changed = mtime;
    return names;
  };
}

/** Parses `127.0.0.1 localhost my-host # comment`, IPv4 addresses first. */
export function parseHosts(text: string): ReadonlyMap<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...aliases] = line.split('#')[0]!.trim().split(/\s+/);
    if (!address || address.includes('%')) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      const known = names.get(name) ?? [];
      if (!known.includes(address)) names.set(name, address.includes(':') ? [...known, address] : [address, ...known]);
    }
  }
  return names;
}

const RENEW_MS = 30_000;
/** Initial timeout of c-ares per server (ms); the second try doubles it. */
const RESOLVER_OPTIONS = { timeout: 2_000, tries: 2 };

/** Resolves A and AAAA records. Renews its resolver periodically, because c-ares reads resolv.conf only at creation. */
function dnsResolver(servers?: string[]): Resolve {
  const make = () => {
    const resolver = new dns.Resolver(RESOLVER_OPTIONS);
    if (servers) resolver.setServers(servers);
    return { resolver, families: ownFamilies(), at: performance.now() };
  };
  let current = make();
  return async (name) => {
    if (performance.now() - current.at > RENEW_MS) current = make();
    const { resolver, families } = current;
    return lookUpBothFamilies(resolver.resolve4(name), resolver.resolve6(name), families);
  };
}

export type Family = 'IPv4' | 'IPv6';

/** RFC 8305 (3) recommends 50 ms for interactive use; a check can wait longer for all addresses. */
const OTHER_FAMILY_MS = 250;

/**
 * Returns the addresses of both families, IPv4 first. Once a family of this machine (`usable`) has addresses, the
 * other has 250 ms left: servers that drop AAAA queries (RFC 4074, 4.1) must not use up the timeout of each check.
 */
export async function lookUpBothFamilies(
  v4: Promise<string[]>,
  v6: Promise<string[]>,
  usable: readonly Family[],
): Promise<string[]> {
  const late = Promise.withResolvers<string[]>();
  let timer: NodeJS.Timeout | undefined;
  const withinWait = (lookUp: Promise<string[]>, family: Family) => {
    const observed = lookUp.then((addresses) => {
      if (addresses.length > 0 && usable.includes(family)) timer ??= setTimeout(late.resolve, OTHER_FAMILY_MS, []);
      return addresses;
    });
    return Promise.race([observed, late.promise]);
  };
  const lookups = await Promise.allSettled([withinWait(v4, 'IPv4'), withinWait(v6, 'IPv6')]);
  clearTimeout(timer);
  const addresses = lookups.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const failures = lookups.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const failure = failures.find((error) => error.code !== 'ENODATA');
  if (addresses.length === 0 && failure) throw failure;
  return addresses;
}

function ownFamilies(): readonly Family[] {
  const outward = ownAddresses().filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address));
  const families = new Set(outward.map(({ family }) => family));
  return families.size > 0 ? [...families] : ['IPv4', 'IPv6'];
}

function ownAddresses(): NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  } catch {
    // A sandbox may deny this; the families only affect a waiting time.
    return [];
  }
}

/** Maximum libuv threads for getaddrinfo, and maximum wait for one (ms): longer than any caller's deadline. */
const THREADS = { permits: 2, wait_ms: 60_000 };

/** Uses getaddrinfo, two calls at a time and one per name, so that half of the threads stay free. */
function localResolver(): Resolve {
  const pendingByName = new Map<string, Promise<string[]>>();
  const threads = new FairSemaphore(THREADS, systemClock);

  async function lookUp(name: string): Promise<string[]> {
    const query = () => dns.lookup(name, { all: true, order: 'ipv4first' });
    const found = await threads.run({ tenant: '' }, query).finally(() => pendingByName.delete(name));
    if (found === NO_PERMIT) throw Object.assign(new Error(`no thread to look up ${name}`), { code: dns.TIMEOUT });
    return found.map(({ address }) => address);
  }

  return (name) => {
    const pending = pendingByName.get(name) ?? lookUp(name);
    pendingByName.set(name, pending);
    return pending;
  };
}
