import * as z from 'zod';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { type Expiry, expiryMembers, expiryOf } from '#lib/checks/assertions/expiry.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import { statusName } from '#lib/net/http-status.ts';
import { type Egress, type HttpReply, type Net, NetError } from '#lib/net/net.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { ProbeInput, Settled } from './check-type.ts';
import type { DomainConfig } from './domain.ts';
import { ofRegistry } from './host-setting.ts';

/** IANA's list of registries with their servers (RFC 9224, 3): `[[zones], [base addresses]]` each. */
const Bootstrap = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** Base addresses by zone, all in lower case. */
type Servers = ReadonlyMap<string, readonly string[]>;

/** IANA's own list has some 60 KB. */
const MAX_BYTES = 1024 * 1024;
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
    max_body_bytes: MAX_BYTES,
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

/** What a registry tells of a domain; some tell a great deal beside it. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Of an answer of RDAP what is looked at (RFC 9083, 4.5 and 5.3). */
const RdapResponse = z.object({
  objectClassName: z.literal('domain'),
  events: z.array(z.object({ eventAction: z.string(), eventDate: z.string() })).optional(),
});

/** Asks the registry of a domain until when it is registered. */
export const probeDomain = ({ config }: Settled<DomainConfig>, { shows = false, ...input }: ProbeInput) =>
  probing(async () => {
    const { domain: written, min_days_remaining: wanted, assertions } = config;
    const name = ofRegistry(written)!;
    const zone = name.slice(name.indexOf('.'));
    const reply = await ask(name, input);
    const latency_ms = reply?.latency_ms ?? 0;
    const fail = <Kind extends 'expiry' | 'status' | 'protocol'>(kind: Kind, message: string) =>
      failed(kind, message, latency_ms, reply?.status ?? 0);
    const untold = () => fail('expiry', `the registry of ${zone} publishes no expiry date by RDAP`);
    if (!reply) return untold();
    const { status, body, headers } = reply;
    if (status === 404) return fail('expiry', `${name} is not registered: the registry of ${zone} does not know it`);
    if (status !== 200) return fail('status', `the registry of ${zone} answered ${statusName(status)}`);
    const answer = RdapResponse.safeParse(jsonOf(body)).data;
    if (!answer) {
      const type = headers['content-type'] ?? 'without a content-type';
      return fail('protocol', `what the registry of ${zone} answered is no RDAP (${type})`);
    }
    const told = answer.events?.find(({ eventAction }) => eventAction === 'expiration');
    const expires = told ? Date.parse(told.eventDate) : Number.NaN;
    const expiry = expiryOf(name, expires, input.now, 'expiry');
    if ('problem' in expiry) return untold();
    const isLong = expiry.days_left >= Math.max(0, wanted);
    const found = isLong ? succeeded(latency_ms, status) : fail('expiry', shortly(expiry));
    return {
      ...withVerdict(found, await evaluateAssertions(assertions, { latency_ms, expiry }, shows)),
      ...expiryMembers(expiry),
    };
  });

/** Undefined where the registry has no server. All together within one time-out. */
async function ask(name: string, { net, settings, timeout_ms, now, room }: ProbeInput): Promise<HttpReply | undefined> {
  const egress = settings.CHECK_EGRESS;
  const began = performance.now();
  const base = await rdapServer(name, { net, url: settings.RDAP_BOOTSTRAP_URL, egress, timeout_ms, now });
  if (base === undefined) return undefined;
  const left_ms = Math.round(timeout_ms - (performance.now() - began));
  if (left_ms <= 0) throw new NetError('timeout', `no answer within ${timeout_ms} ms (reading the list of registries)`);
  return net.http({
    url: `${base}domain/${name}`,
    method: 'GET',
    headers: { accept: 'application/rdap+json' },
    timeout_ms: left_ms,
    max_body_bytes: MAX_ANSWER_BYTES,
    ...(room && { room }),
    egress,
    max_redirects: 5,
  });
}

function shortly({ what, days_left, expires_at }: Expiry): string {
  const day = expires_at.slice(0, 10);
  if (days_left < 0) return `${what} expired on ${day}: renew it`;
  return `${what} expires on ${day}, in ${days_left} ${days_left === 1 ? 'day' : 'days'}: renew it`;
}
