import { promises as dns } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { systemClock } from '#lib/platform/clock.ts';
import { FairSemaphore, NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
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
/** What c-ares waits for a server at first; the second try doubles it. */
const TRY = { timeout: 2_000, tries: 2 };

/** A and AAAA records. The resolver is renewed now and then, as it reads resolv.conf only when made. */
function dnsResolver(servers?: string[]): Resolve {
  const make = () => {
    const resolver = new dns.Resolver(TRY);
    if (servers) resolver.setServers(servers);
    return { resolver, families: ownFamilies(), at: performance.now() };
  };
  let made = make();
  return async (name) => {
    if (performance.now() - made.at > RENEW_MS) made = make();
    const { resolver, families } = made;
    return eitherOrBoth(resolver.resolve4(name), resolver.resolve6(name), families);
  };
}

export type Family = 'IPv4' | 'IPv6';

/**
 * RFC 8305 (3) recommends 50 ms, to people who wait for a page. A check can wait a little longer for all there is: to
 * judge, and to fall back on.
 */
const OTHER_FAMILY_MS = 250;

/**
 * The addresses of both families, IPv4 first. Once one that this machine can use has some, the other has 250 ms left:
 * servers that drop the question for AAAA (RFC 4074, 4.1) must not use up the time of every check.
 * @param usable the families that this machine has addresses of
 */
export async function eitherOrBoth(
  v4: Promise<string[]>,
  v6: Promise<string[]>,
  usable: readonly Family[],
): Promise<string[]> {
  const late = Promise.withResolvers<string[]>();
  let timer: NodeJS.Timeout | undefined;
  const inTime = (look: Promise<string[]>, family: Family) => {
    const hurried = look.then((addresses) => {
      if (addresses.length > 0 && usable.includes(family)) timer ??= setTimeout(late.resolve, OTHER_FAMILY_MS, []);
      return addresses;
    });
    return Promise.race([hurried, late.promise]);
  };
  const answers = await Promise.allSettled([inTime(v4, 'IPv4'), inTime(v6, 'IPv6')]);
  clearTimeout(timer);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  const failure = failures.find((error) => error.code !== 'ENODATA');
  if (addresses.length === 0 && failure) throw failure;
  return addresses;
}

/** By the addresses beside loopback and those of IPv6 that are link-local; both when nothing can be told. */
function ownFamilies(): readonly Family[] {
  const outward = ownAddresses().filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address));
  const families = new Set(outward.map(({ family }) => family));
  return families.size > 0 ? [...families] : ['IPv4', 'IPv6'];
}

function ownAddresses(): NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  } catch {
    // A sandbox may keep them secret. They only decide how long to wait.
    return [];
  }
}

/** Of the four threads of libuv, and how long a name waits for one: longer than any deadline of who asks. */
const THREADS = { places: 2, wait_ms: 60_000 };

/** getaddrinfo, at most two at a time, and each name once at a time, so that half of the threads stay free. */
function localResolver(): Resolve {
  const underWay = new Map<string, Promise<string[]>>();
  const threads = new FairSemaphore(THREADS, systemClock);

  async function lookUp(name: string): Promise<string[]> {
    const ask = () => dns.lookup(name, { all: true, order: 'ipv4first' });
    const found = await threads.run({ tenant: '' }, ask).finally(() => underWay.delete(name));
    if (found === NO_PERMIT) throw Object.assign(new Error(`no thread to look up ${name}`), { code: dns.TIMEOUT });
    return found.map(({ address }) => address);
  }

  return (name) => {
    const pending = underWay.get(name) ?? lookUp(name);
    underWay.set(name, pending);
    return pending;
  };
}
