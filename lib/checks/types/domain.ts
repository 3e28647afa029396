import { isIP } from 'node:net';
import * as z from 'zod';
import { type Expiry, ExpiryMembers, expiryMembers, expiryOf, idleWarnings } from '#lib/checks/assertions/expiry.ts';
import { judge } from '#lib/checks/assertions/judge.ts';
import { defineCheck, type ProbeInput } from '#lib/checks/check-type.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import { canonicalHost } from '#lib/platform/net/egress.ts';
import { type HttpReply, NetError } from '#lib/platform/net/net.ts';
import { jsonOf, rdapServer } from '#lib/platform/net/rdap-servers.ts';
import { statusName } from '#lib/platform/status.ts';

/** What a registry tells of a domain; some tell a great deal beside it. */
const MOST_BYTES = 1024 * 1024;

/** Of an answer of RDAP what is looked at (RFC 9083, 4.5 and 5.3). */
const Answer = z.object({
  objectClassName: z.literal('domain'),
  events: z.array(z.object({ eventAction: z.string(), eventDate: z.string() })).optional(),
});

const Domain = z
  .string()
  .max(253)
  .refine((name) => ofRegistry(name) !== undefined, 'must be a domain as it is registered, such as example.com')
  .describe('The domain as it is registered, such as example.com.');

/** How long a domain is registered for, as its registry says by RDAP. */
export const domain = defineCheck({
  type: 'domain',
  mode: 'pull',
  title: 'Domain expiry',
  about:
    'Asks the registry of a domain, by RDAP, until when it is registered. It succeeds while that is long enough. last_result shows days_left and expires_at. Some registries, such as that of .de, tell nobody.',
  interval: { least: 3600, default: 21_600 },
  config: z.strictObject({
    domain: Domain,
    min_days_remaining: z
      .int()
      .min(0)
      .max(3650)
      .describe('It fails with fewer whole days left; 0: only when expired.')
      .default(0),
  }),
  sources: ['latency_ms', 'days_left'],
  result: ExpiryMembers,
  contradictions: ({ config: { assertions = [], min_days_remaining } }) => idleWarnings(assertions, min_days_remaining),
  hosts: ({ config }) => [{ path: 'config.domain', host: config.domain }],
  targetLabel: ({ config }) => `domain ${config.domain}`,
  probe: ({ config: { domain: written, min_days_remaining: wanted, assertions } }, { shows = false, ...input }) =>
    probing(async () => {
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
    }),
  examples: {
    valid: [
      { config: { domain: 'example.com', min_days_remaining: 14 } },
      { config: { domain: 'example.co.uk' } },
      { config: { domain: 'Bücher.example' } },
    ],
    invalid: [
      { value: { config: {} }, path: 'config.domain' },
      { value: { config: { domain: 'https://example.com' } }, path: 'config.domain' },
      { value: { config: { domain: 'com' } }, path: 'config.domain' },
      { value: { config: { domain: '192.0.2.1' } }, path: 'config.domain' },
      { value: { config: { domain: 'a_b.com' } }, path: 'config.domain' },
      { value: { config: { domain: 'example.com', min_days_remaining: -1 } }, path: 'config.min_days_remaining' },
      { value: { config: { domain: 'example.com', days: 14 } }, path: 'config.days' },
    ],
  },
});

/** A domain as a registry knows it: lower case, xn--, without the dot of the root; undefined when it is none. */
function ofRegistry(written: string): string | undefined {
  const name = canonicalHost(written);
  return name !== undefined && isIP(name) === 0 && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name) ? name : undefined;
}

/** Undefined where the registry has no server. All together within one time-out. */
async function ask(name: string, { net, settings, timeout_ms, now }: ProbeInput): Promise<HttpReply | undefined> {
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
    egress,
    max_redirects: 5,
  });
}

function shortly({ what, days_left, expires_at }: Expiry): string {
  const day = expires_at.slice(0, 10);
  if (days_left < 0) return `${what} expired on ${day}: renew it`;
  return `${what} expires on ${day}, in ${days_left} ${days_left === 1 ? 'day' : 'days'}: renew it`;
}
