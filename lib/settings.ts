import * as z from 'zod';
import type { Egress } from '#lib/net/net.ts';
import { plainErrors } from '#lib/platform/http/validation.ts';
import { rateListProblem } from '#lib/platform/sharing/rates.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns why a text is not a valid issuer: a URL without query and fragment (OpenID Connect Discovery 1.0, section 2),
 * with https, or http on this machine only. At sign-in it is compared with the issuer that the provider states.
 */
function issuerProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    return 'must be the address of a provider, such as https://login.example.com';
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return 'must start with https://; http is only for a provider on this machine (localhost, 127.0.0.1, [::1])';
  }
  if (url.username || url.password) return 'must not contain user:password@';
  if (/[?#]/.test(text)) return 'must not contain ? or #';
  if (url.pathname.includes('/.well-known/')) return 'must end before /.well-known/';
  return undefined;
}

/** Scope of OAuth (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const line = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\p{C}]*$/u, 'must be on one line')
    .default('');

const OIDC_SETTINGS = {
  OIDC_ISSUER: z
    .string()
    .default('')
    .superRefine((text, context) => {
      const problem = text === '' ? undefined : issuerProblem(text);
      if (problem !== undefined) context.addIssue(problem);
    })
    .describe(
      'Issuer of the identity provider for single sign-on, exactly as its discovery document states it: ' +
        '`https://login.example.com/realms/ops`. Empty: no single sign-on. http is accepted on loopback only.',
    ),
  OIDC_CLIENT_ID: line(500).describe('Client id that the identity provider assigned to this service.'),
  OIDC_CLIENT_SECRET: line(2000).describe('Client secret. Empty: a public client, protected by PKCE only.'),
  OIDC_NAME: line(100).describe('Label of the sign-in button. Empty: the host of the issuer.'),
  OIDC_SCOPES: z
    .string()
    .default('openid email profile')
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine((list) => list.includes('openid'), 'must include openid, as in openid email profile')
    .refine((list) => list.every((one) => SCOPE.test(one)), 'must be scopes, such as openid email profile')
    .transform((list) => list.join(' '))
    .describe('Requested scopes, separated by spaces. Must include `openid`.'),
  OIDC_TRUST_EMAIL: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      '`true`: a sign-in accepts the invitation of its e-mail address even if the provider has not verified the address.',
    ),
};

type Given = Partial<Record<'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET', string>>;

/** Returns contradictions between settings, each starting with the name of a setting. */
function oidcMisfits({ OIDC_ISSUER = '', OIDC_CLIENT_ID = '', OIDC_CLIENT_SECRET = '' }: Given): string[] {
  if (OIDC_ISSUER !== '' && OIDC_CLIENT_ID === '') {
    return ['OIDC_CLIENT_ID: is missing; OIDC_ISSUER requires the client id of this service at the provider'];
  }
  const alone = OIDC_CLIENT_ID !== '' ? 'OIDC_CLIENT_ID' : OIDC_CLIENT_SECRET !== '' ? 'OIDC_CLIENT_SECRET' : undefined;
  if (OIDC_ISSUER === '' && alone) return [`${alone}: has no effect without OIDC_ISSUER`];
  return [];
}

/** Parses a server of NATS_URL, with or without `nats://`; null if it is not valid. */
export function natsUrl(text: string): URL | null {
  const url = text.trim();
  return URL.parse(url.includes('://') ? url : `nats://${url}`);
}

const whole = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

const csv = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

/** Whether a text is `*`, or an origin as browsers send it, without path and final slash. */
const isOrigin = (text: string): boolean => text === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/.test(text);

/** Whether a text is empty, or an http or https URL with only a host and, if it is not the default, a port. */
function isBareUrl(text: string): boolean {
  if (text === '') return true;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(text.toLowerCase());
}

const bareUrl = (example: string) =>
  z
    .string()
    .default('')
    .refine(isBareUrl, `must be an address without a path or default port, such as ${example}`)
    .transform((url) => (url === '' ? '' : new URL(url).origin));

function isNatsServer(text: string): boolean {
  const parsed = natsUrl(text);
  return parsed !== null && ['nats:', 'tls:'].includes(parsed.protocol) && NATS_HOST.test(parsed.hostname);
}

/** Whether all addresses share scheme, user and password, which the connection takes from the first. */
function isOneNats(list: string): boolean {
  const wanted = list.split(',').map((text) => natsUrl(text));
  return new Set(wanted.map((url) => `${url?.protocol}//${url?.username}:${url?.password}`)).size <= 1;
}

/** Tokens that end with a dot, without spaces and wildcards. The first must not begin with `$` or `_`. */
const SUBJECT_PREFIX = /^(?![$_])(?:(?:[\x21-\x29\x2b-\x2d\x2f-\x3d\x3f-\x7a]|\{tenant_id\})+\.)*$/;

const NATS_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i;
const DNS_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;

const STATUS_DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is a host name in lower case that a status page can have: no IP address, at least one dot. */
export const isStatusDomain = (text: string): boolean => STATUS_DOMAIN.test(text);

const MAIL_FROM = /^(?:[^<>@"\p{Cc}]{1,80} <[^\s<>@]+@[\w.-]+>|[^\s<>@]+@[\w.-]+)$/u;

function isMailServer(text: string): boolean {
  if (text === '') return true;
  const url = URL.parse(text);
  return /^smtps?:$/.test(url?.protocol ?? '') && url!.hostname !== '' && /^\/?$/.test(url!.pathname) && !url!.search;
}

/** Settings of the service, read from the environment. `npm run generate` writes their table. */
export const SettingsSchema = z.object({
  CHECK_EGRESS: z
    .enum(['public', 'any'])
    .default('public')
    .transform((egress): Egress => egress)
    .describe(
      'Addresses that checks and channels may reach: `public`, or `any` except link-local, 0.0.0.0/8, multicast and ' +
        'cloud metadata. An account can be restricted to `public`. Actions reach public addresses only.',
    ),
  EGRESS_ALLOW: csv.describe(
    'CIDR ranges, separated by commas, that checks, channels and actions may reach in addition: `10.0.5.0/24`. ' +
      'With `public`, a name such as `localhost` or `db.internal` is refused without a lookup, even if its address is in a ' +
      'range.',
  ),
  SMTP_EGRESS: z
    .enum(['open', 'closed'])
    .default('open')
    .describe('`closed`: the network blocks outgoing connections to port 25, so checks of that port are refused.'),
  MIN_INTERVAL_SECONDS: z.coerce.number().int().min(1).default(10).describe('Shortest interval of a check in seconds.'),
  ALLOWED_ORIGINS: csv
    .transform((list) => (list.length === 0 ? ['*'] : list))
    .refine((list) => list.every(isOrigin), 'must be * or origins without a path, such as https://app.example.com')
    .describe('Origins whose pages can call the API, separated by commas. Empty or `*`: any origin.'),
  PUBLIC_URL: bareUrl('https://status.example.com').describe(
    'Address that users open in a browser, without a path: `https://status.example.com`. Empty: users open an IP ' +
      'address, a name without a dot, or `localhost`; links in alerts lead to `http://localhost:<PORT>`, or to `HOST` ' +
      'if it is neither loopback nor a wildcard. On AWS, users open the output `Url`, and alerts have no links.',
  ),
  PING_URL: bareUrl('https://ping.example.com').describe(
    'Base address of the ping URLs of push checks, without a path. Empty: `PUBLIC_URL`, or else the service itself.',
  ),
  ALLOWED_HOSTS: csv
    .refine(
      (list) => list.every((name) => DNS_NAME.test(name)),
      'must be names without scheme, port and path, such as status.example.com',
    )
    .describe('Further host names under which browsers may reach the service, separated by commas.'),
  STATUS_DOMAINS: csv
    .transform((list) => [...new Set(list.map((name) => name.toLowerCase()))])
    .refine(
      (list) => list.every(isStatusDomain),
      'must be names without scheme, port and path, such as status.example.com',
    )
    .describe(
      'Domains that each serve only a status page, separated by commas: `status.acme.com`. The admin command ' +
        '`status-page set-domain` selects the page.',
    ),
  SESSION_DAYS: whole(1, 90, 30).describe('Maximum age of a session in days, 1 to 90; at least `SESSION_IDLE_DAYS`.'),
  SESSION_IDLE_DAYS: whole(1, 90, 7).describe('Days without use after which a session ends, 1 to 90.'),
  ...OIDC_SETTINGS,
  NATS_URL: z
    .string()
    .default('')
    .refine(
      (list) => list === '' || list.split(',').every(isNatsServer),
      'must be one or more addresses such as nats://nats.example.com:4222, separated by commas',
    )
    .refine(isOneNats, 'must have one scheme, and one user and password, in all of its addresses')
    .describe(
      'NATS servers for nats channels, separated by commas; `tls://` for TLS, `user:password@` or `token@` in the URL. ' +
        'Empty: no nats channels.',
    ),
  NATS_SUBJECT_PREFIX: z
    .string()
    .max(128)
    .regex(SUBJECT_PREFIX, 'must be tokens that each end with a dot, such as fleetwatch.{tenant_id}. ; or empty')
    .default('fleetwatch.{tenant_id}.')
    .describe(
      'Prefix of the subject of every nats channel; `{tenant_id}` is the account id, so that accounts do not share ' +
        'subjects. Empty if one account has the NATS server to itself.',
    ),
  SMTP_URL: z
    .string()
    .default('')
    .refine(
      isMailServer,
      'must be smtp:// or smtps://, with user:password@ or without, such as smtp://user:password@mail.example.com:587',
    )
    .describe(
      'Mail server for email channels: `smtp://user:password@mail.example.com:587` requires STARTTLS, `smtps://` (465) ' +
        'starts with TLS; without user and password TLS is used if offered. Recipients confirm by a link below `PUBLIC_URL`. ' +
        'Empty: no email channels.',
    ),
  MAIL_FROM: z
    .string()
    .default('')
    .refine(
      (from) => from === '' || MAIL_FROM.test(from),
      'must be an address, with a name or without: Fleetwatch <alerts@example.com>',
    )
    .describe('Sender of mails: `Fleetwatch <alerts@example.com>`. Required if `SMTP_URL` is set.'),
  REFERENCE_HOST: z
    .string()
    .default('')
    .refine((name) => name === '' || name === '.' || DNS_NAME.test(name), 'must be . or a name such as example.com')
    .describe(
      'Name that is looked up (NS) to recognize a network outage, `.` for the DNS root. If it answered before, and now ' +
        'neither it nor the last three or more hosts answer: a gap, and no alert. Empty: never looked up.',
    ),
  OUTER_PING_URL: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })], 'must be an http or https URL, or empty')
    .default('')
    .describe(
      'Ping URL of a monitor outside of this service, requested after each successful tick (once a minute). The monitor ' +
        'alerts when this service stops. Empty: none.',
    ),
  RDAP_BOOTSTRAP_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://data.iana.org/rdap/dns.json')
    .describe(
      'List of domain registries and their RDAP servers (RFC 9224), read once a day for `domain` checks. With ' +
        '`CHECK_EGRESS=public`, a copy on a private address needs `EGRESS_ALLOW`.',
    ),
  RATE_LIMITS: z
    .string()
    .default('')
    .superRefine((text, context) => {
      const problem = rateListProblem(text);
      if (problem !== undefined) context.addIssue(problem);
    })
    .describe(
      '`off`, or rates that replace the defaults, each as requests (`store`: KB) per second and burst: ' +
        '`push=1000/10000,send=5/20`.',
    ),
  MCP_STREAMS_PER_KEY: whole(0, 1000, 3).describe(
    'Open streams of the MCP protocol of 2024-11-05 per key; three times as many per account. 0: no streams.',
  ),
  MCP_STREAM_SECONDS: whole(1, 840, 840).describe('Lifetime of an MCP stream in seconds. Clients reconnect.'),
  AUDIT_DAYS: whole(30, 3650, 400).describe('Retention of the audit log in days, 30 to 3650.'),
  INCIDENT_QUIET_SECONDS: whole(0, 3600, 300).describe(
    'Seconds without a failure after which an incident ends, 0 to 3600. A failure within that time continues it.',
  ),
  SHARDS: whole(1, 1024, 4).describe('Partitions of the schedule. Cannot change once there is data.'),
  BUCKETS: whole(1, 64, 4).describe(
    'Partitions of the lists and feeds of each account. Cannot change once there is data.',
  ),
  PROBES_AT_ONCE: whole(1, 1000, 25).describe(
    'Probes of one process that connect at the same time; with more, the latency would include the wait for its CPU. A ' +
      'probe that hangs makes room after 250 ms.',
  ),
  JOB_GROUP_MS: whole(10, 1000, 1000).describe(
    'Milliseconds within which due probes share one message. Change it only if tens of thousands of checks are due a ' +
      'minute and CPU is short.',
  ),
});

/**
 * Settings of a process. `service_url`: on one machine, the address of the service for a browser. `are_hosts_proven`:
 * true on AWS, see lib/platform/http/service-host.ts.
 */
export type Settings = z.output<typeof SettingsSchema> & { service_url?: string; are_hosts_proven?: boolean };

/** Returns the base address of links in alerts; empty if the service does not know its address. */
export const linksAddress = ({ PUBLIC_URL, service_url = '' }: Settings): string => PUBLIC_URL || service_url;

/** Parses an environment. Throws an Error that names each invalid setting. */
export function readSettings(env: Record<string, string | undefined>): Settings;
export function readSettings<Schema extends z.ZodType>(
  env: Record<string, string | undefined>,
  schema: Schema,
): z.output<Schema>;
export function readSettings(env: Record<string, string | undefined>, schema: z.ZodType = SettingsSchema): unknown {
  const parsed = schema.safeParse(env, { error: plainErrors });
  if (parsed.success) {
    const wrong = misfits(parsed.data as Partial<Settings>);
    if (wrong.length > 0) throw settingsError(wrong);
    return parsed.data;
  }
  throw settingsError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

function misfits(settings: Partial<Settings>): string[] {
  const { SESSION_DAYS = 0, SESSION_IDLE_DAYS = 0, SMTP_URL = '', MAIL_FROM = '' } = settings;
  return [
    ...(SMTP_URL !== '' && MAIL_FROM === ''
      ? ['MAIL_FROM: is required with SMTP_URL, because mails need a sender']
      : []),
    ...(SESSION_DAYS < SESSION_IDLE_DAYS
      ? [`SESSION_DAYS: must be at least SESSION_IDLE_DAYS, which is ${SESSION_IDLE_DAYS}`]
      : []),
    ...namesOfService(settings)
      .filter((name) => settings.STATUS_DOMAINS?.includes(name))
      .map((name) => `STATUS_DOMAINS: remove ${name}, which is an address of the service itself`),
    ...oidcMisfits(settings),
  ];
}

/** Returns the host names that settings give the service, in lower case. */
export const namesOfService = ({ PUBLIC_URL, PING_URL, ALLOWED_HOSTS = [] }: Partial<Settings>): string[] => [
  ...[PUBLIC_URL, PING_URL].flatMap((url) => URL.parse(url ?? '')?.hostname ?? []),
  ...ALLOWED_HOSTS.map((name) => name.toLowerCase()),
];

/** Returns an Error for all invalid settings. @param table page that describes them */
export function settingsError(wrong: string[], table = 'docs/operate/settings.md'): Error {
  const problems = wrong.join('; ');
  return new Error(`Settings are wrong. ${problems}${/[.?]$/.test(problems) ? '' : '.'} See ${table}.`);
}
