import * as z from 'zod';
import { type Expiry, expiryMembers, expiryOf } from '#lib/checks/assertions/expiry.ts';
import { judge } from '#lib/checks/assertions/judge.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import { statusName } from '#lib/net/http-status.ts';
import { type HttpReply, NetError } from '#lib/net/net.ts';
import { jsonOf, rdapServer } from '#lib/platform/net/rdap-servers.ts';
import type { ProbeInput, Settled } from './check-type.ts';
import type { DomainConfig } from './domain.ts';
import { ofRegistry } from './host-setting.ts';

/** What a registry tells of a domain; some tell a great deal beside it. */
const MOST_BYTES = 1024 * 1024;

/** Of an answer of RDAP what is looked at (RFC 9083, 4.5 and 5.3). */
const Answer = z.object({
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
    const answer = Answer.safeParse(jsonOf(body)).data;
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
      ...withVerdict(found, await judge(assertions, { latency_ms, expiry }, shows)),
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
    max_body_bytes: MOST_BYTES,
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
