import { promises as dns } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import type { Resolve } from './egress.ts';

/**
 * Names to addresses, as this machine sees them: the hosts file, then DNS.
 *
 * getaddrinfo alone (dns.lookup) would know all of it, but it runs on the four threads of libuv and cannot be
 * cancelled: a few dead names would hold up every other probe and the store. So DNS names are asked with c-ares, which
 * needs no thread, and only names that DNS does not know by itself (one label, .local: search domains, mDNS) take
 * getaddrinfo, two at a time. c-ares does not read the hosts file; we do.
 * @param from another hosts file, and DNS servers other than those of resolv.conf
 */
export function systemResolver(from: { hostsFile?: string; servers?: string[] } = {}): Resolve {
  const hosts = hostsReader(from.hostsFile ?? '/etc/hosts');
  const dnsNames = dnsResolver(from.servers);
  const localNames = localResolver();
  return async (name) => {
    const wanted = name.toLowerCase();
    const known = hosts().get(wanted);
    if (known) return known;
    if (wanted === 'localhost' || wanted.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    return !wanted.includes('.') || wanted.endsWith('.local') ? localNames(wanted) : dnsNames(wanted);
  };
}

const LOOK_AGAIN_MS = 5_000;

/** The hosts file by name, read again when it has changed. */
function hostsReader(path: string): () => ReadonlyMap<string, string[]> {
  let names: ReadonlyMap<string, string[]> = new Map();
  let changed = -1;
  let looked = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - looked < LOOK_AGAIN_MS) return names;
    looked = now;
    const mtime = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
    if (mtime !== changed) names = mtime === -1 ? new Map() : parseHosts(readFileSync(path, 'utf8'));
    changed = mtime;
    return names;
  };
}

/** `127.0.0.1 localhost my-host # comment`, IPv4 addresses first. */
export function parseHosts(text: string): ReadonlyMap<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...aliases] = (line.split('#')[0] as string).trim().split(/\s+/);
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
/** What c-ares waits for a server at first; the second try doubles it. */
const TRY = { timeout: 2_000, tries: 2 };

/** A and AAAA records, IPv4 first. The resolver is renewed now and then, as it reads resolv.conf only when made. */
function dnsResolver(servers?: string[]): Resolve {
  const make = () => {
    const resolver = new dns.Resolver(TRY);
    if (servers) resolver.setServers(servers);
    return { resolver, at: performance.now() };
  };
  let made = make();
  return async (name) => {
    if (performance.now() - made.at > RENEW_MS) made = make();
    const { resolver } = made;
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const failure = failures.find((error) => error.code !== 'ENODATA');
    if (addresses.length === 0 && failure) throw failure;
    return addresses;
  };
}

/** getaddrinfo, at most two at a time, and each name once at a time, so that half of the threads stay free. */
function localResolver(): Resolve {
  const underWay = new Map<string, Promise<string[]>>();
  const waiting: (() => void)[] = [];
  let free = 2;

  async function lookUp(name: string): Promise<string[]> {
    if (free > 0) free--;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return (await dns.lookup(name, { all: true, order: 'ipv4first' })).map(({ address }) => address);
    } finally {
      underWay.delete(name);
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  }

  return (name) => {
    const pending = underWay.get(name) ?? lookUp(name);
    underWay.set(name, pending);
    return pending;
  };
}
