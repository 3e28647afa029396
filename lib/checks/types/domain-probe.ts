import * as z from 'zod';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { expiryOf, expiryProperties, expiryText } from '#lib/checks/assertions/expiry.ts';
import { failed, outcomeOfProbe, succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import { statusName } from '#lib/net/http-status.ts';
import { type Egress, type HttpReply, type Net, NetError } from '#lib/net/net.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { ProbeInput, SettingsWith } from './check-type.ts';
import type { DomainConfig } from './domain.ts';
import { canonicalDomain } from './host-setting.ts';

/** IANA's list of registries and their servers (RFC 9224, 3): each service is `[[zones], [base addresses]]`. */
const Bootstrap = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** Base addresses by zone; zones are in lower case. */
type Servers = ReadonlyMap<string, readonly string[]>;

/** Maximum size of the list; IANA's has about 60 KB. */
const MAX_BYTES = 1024 * 1024;
/** Timeout of one read of the list, which all waiting probes share. */
const READ_TIMEOUT_MS = 10_000;

type CachedList = { at: number; servers: Servers };
const cache = new Map<string, CachedList>();
const pendingReads = new Map<string, Promise<CachedList>>();

type BootstrapRequest = {
  net: Net;
  url: string;
  egress: Egress;
  timeout_ms: number;
  /** Epoch ms. */
  now: number;
};

/** Returns the RDAP server of a domain; undefined if the list has none. Caches the list for a day. Throws NetError. */
export async function rdapServer(domain: string, request: BootstrapRequest): Promise<string | undefined> {
  const labels = domain.split('.');
  const { servers } = await bootstrap(request);
  // The longest matching zone (RFC 9224, 4).
  for (let i = 0; i < labels.length; i++) {
    const found = servers.get(labels.slice(i).join('.'));
    if (found) return found.find((base) => base.startsWith('https:')) ?? found[0];
  }
  return undefined;
}

async function bootstrap(request: BootstrapRequest): Promise<CachedList> {
  const { url, timeout_ms, now } = request;
  const known = cache.get(url);
  if (known && now - known.at < DAY_MS) return known;
  // Many checks need the list when a process starts, so they share one read.
  const reading = pendingReads.get(url) ?? readList(request).finally(() => pendingReads.delete(url));
  pendingReads.set(url, reading);
  if (known) {
    // An outdated list is used until it has been replaced.
    reading.catch(() => {});
    return known;
  }
  const timeout = Promise.withResolvers<never>();
  const why = `no answer within ${timeout_ms} ms (reading the list of registries at ${url})`;
  const timer = setTimeout(() => timeout.reject(new NetError('timeout', why)), timeout_ms);
  return Promise.race([reading, timeout.promise]).finally(() => clearTimeout(timer));
}

async function readList({ net, url, egress, now }: BootstrapRequest): Promise<CachedList> {
  const headers = { accept: 'application/json' };
  const request = {
    url,
    method: 'GET',
    headers,
    timeout_ms: READ_TIMEOUT_MS,
    max_body_bytes: MAX_BYTES,
    egress,
    max_redirects: 5,
  };
  const { status, body } = await net.http(request);
  const list = status === 200 ? Bootstrap.safeParse(jsonOf(body)).data : undefined;
  if (!list) {
    const what = status === 200 ? 'an unexpected body' : `status ${status}`;
    const message = `the list of registries at ${url} could not be read: got ${what}`;
    throw new NetError('connect', message, { answered: true });
  }
  const servers = new Map(
    list.services.flatMap(([zones, bases]) =>
      zones.map((zone): [string, string[]] => [zone.toLowerCase(), bases.map((base) => base.replace(/\/?$/, '/'))]),
    ),
  );
  const created = { at: now, servers };
  cache.set(url, created);
  return created;
}

/** Parses JSON; undefined if it is not valid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_RESPONSE_BYTES = 1024 * 1024;

/** The part of an RDAP response that is read (RFC 9083, 4.5 and 5.3). */
const RdapResponse = z.object({
  objectClassName: z.literal('domain'),
  events: z.array(z.object({ eventAction: z.string(), eventDate: z.string() })).optional(),
});

export const probeDomain = (
  { config }: SettingsWith<DomainConfig>,
  { cpu, withDetails = false, ...probe }: ProbeInput,
) =>
  outcomeOfProbe(async () => {
    const { domain: input, min_days_remaining: minDays, assertions } = config;
    const name = canonicalDomain(input)!;
    const zone = name.slice(name.indexOf('.'));
    const reply = await queryRegistry(name, probe);
    const latency_ms = reply?.latency_ms ?? 0;
    const fail = <Kind extends 'expiry' | 'status' | 'protocol'>(kind: Kind, message: string) =>
      failed(kind, message, latency_ms, reply?.status ?? 0);
    const noExpiry = () => fail('expiry', `the registry of ${zone} publishes no expiry date by RDAP`);
    if (!reply) return noExpiry();
    const { status, body, headers } = reply;
    if (status === 404) return fail('expiry', `${name} is not registered: the registry of ${zone} has no such domain`);
    if (status !== 200) return fail('status', `the registry of ${zone} answered ${statusName(status)}`);
    const response = RdapResponse.safeParse(jsonOf(body)).data;
    if (!response) {
      const type = headers['content-type'] ?? 'without a content-type';
      return fail('protocol', `the registry of ${zone} sent a response that is not RDAP (${type})`);
    }
    const event = response.events?.find(({ eventAction }) => eventAction === 'expiration');
    const expires = event ? Date.parse(event.eventDate) : Number.NaN;
    const expiry = expiryOf(name, expires, probe.now, 'expiry');
    if ('problem' in expiry) return noExpiry();
    const isSufficient = expiry.days_left >= Math.max(0, minDays);
    const found = isSufficient ? succeeded(latency_ms, status) : fail('expiry', `${expiryText(expiry)}: renew it`);
    return {
      ...withAssertionResults(
        found,
        await evaluateAssertions(assertions, { latency_ms, expiry }, { cpu, withDetails }),
      ),
      ...expiryProperties(expiry),
    };
  });

async function queryRegistry(
  name: string,
  { net, settings, timeout_ms, now, waitForMemory }: Omit<ProbeInput, 'cpu'>,
): Promise<HttpReply | undefined> {
  const egress = settings.CHECK_EGRESS;
  const startedAt = performance.now();
  const base = await rdapServer(name, { net, url: settings.RDAP_BOOTSTRAP_URL, egress, timeout_ms, now });
  if (base === undefined) return undefined;
  const left_ms = Math.round(timeout_ms - (performance.now() - startedAt));
  if (left_ms <= 0) throw new NetError('timeout', `no answer within ${timeout_ms} ms (reading the list of registries)`);
  return net.http({
    url: `${base}domain/${name}`,
    method: 'GET',
    headers: { accept: 'application/rdap+json' },
    timeout_ms: left_ms,
    max_body_bytes: MAX_RESPONSE_BYTES,
    ...(waitForMemory && { waitForMemory }),
    egress,
    max_redirects: 5,
  });
}
