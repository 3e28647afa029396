import * as z from 'zod';
import { type Egress, type Net, NetError } from '#lib/net/net.ts';
import { DAY_MS } from '#lib/platform/time.ts';

/** IANA's list of registries with their servers (RFC 9224, 3): `[[zones], [base addresses]]` each. */
const Bootstrap = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** Base addresses by zone, all in lower case. */
type Servers = ReadonlyMap<string, readonly string[]>;

/** IANA's own list has some 60 KB. */
const MOST_BYTES = 1024 * 1024;
/** It is read for all who wait, some of whom may wait longer than others. */
const READ_MS = 10_000;

type Kept = { at: number; servers: Servers };
const kept = new Map<string, Kept>();
const underWay = new Map<string, Promise<Kept>>();

type Asking = {
  net: Net;
  /** Where the list is: RDAP_BOOTSTRAP_URL. */
  url: string;
  egress: Egress;
  /** How long to wait for it. */
  timeout_ms: number;
  /** Epoch ms. */
  now: number;
};

/**
 * The base address of the RDAP server that knows a domain, with a slash at its end; undefined where its registry has
 * none. The list is kept for a day, and for longer while it cannot be had anew. Throws `NetError` where there is none.
 */
export async function rdapServer(domain: string, asking: Asking): Promise<string | undefined> {
  const labels = domain.split('.');
  const { servers } = await bootstrap(asking);
  // The longest zone that fits (RFC 9224, 4).
  for (let i = 0; i < labels.length; i++) {
    const found = servers.get(labels.slice(i).join('.'));
    if (found) return found.find((base) => base.startsWith('https:')) ?? found[0];
  }
  return undefined;
}

async function bootstrap(asking: Asking): Promise<Kept> {
  const { url, timeout_ms, now } = asking;
  const known = kept.get(url);
  if (known && now - known.at < DAY_MS) return known;
  // Many checks need it at once when a process begins.
  const reading = underWay.get(url) ?? read(asking).finally(() => underWay.delete(url));
  underWay.set(url, reading);
  if (known) {
    // An old list will do while there is no new one, and nobody waits for that.
    reading.catch(() => {});
    return known;
  }
  const late = Promise.withResolvers<never>();
  const why = `no answer within ${timeout_ms} ms (reading the list of registries at ${url})`;
  const timer = setTimeout(() => late.reject(new NetError('timeout', why)), timeout_ms);
  return Promise.race([reading, late.promise]).finally(() => clearTimeout(timer));
}

async function read({ net, url, egress, now }: Asking): Promise<Kept> {
  const headers = { accept: 'application/json' };
  const request = {
    url,
    method: 'GET',
    headers,
    timeout_ms: READ_MS,
    max_body_bytes: MOST_BYTES,
    egress,
    max_redirects: 5,
  };
  const { status, body } = await net.http(request);
  const list = status === 200 ? Bootstrap.safeParse(jsonOf(body)).data : undefined;
  if (!list) {
    const what = status === 200 ? 'something else' : `status ${status}`;
    const message = `the list of registries at ${url} could not be read: it answered ${what}`;
    throw new NetError('connect', message, { answered: true });
  }
  const servers = new Map(
    list.services.flatMap(([zones, bases]) =>
      zones.map((zone): [string, string[]] => [zone.toLowerCase(), bases.map((base) => base.replace(/\/?$/, '/'))]),
    ),
  );
  const made = { at: now, servers };
  kept.set(url, made);
  return made;
}

/** Undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
