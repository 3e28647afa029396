import * as z from 'zod';
import type { Egress } from '#lib/net/net.ts';
import { plainErrors } from '#lib/platform/http/validation.ts';
import { rateListProblem } from '#lib/platform/sharing/rates.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Why a text cannot be an issuer: a URL without query and fragment (OpenID Connect Discovery 1.0, section 2), by https;
 * by http on this machine alone. Undefined when it can. Whether its provider says the same is seen at sign-in.
 */
function issuerProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    return 'must be the address of a provider, such as https://login.example.com';
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return 'must begin with https://; http is for a provider on this machine (localhost, 127.0.0.1, [::1]) alone';
  }
  if (url.username || url.password) return 'must not hold user:password@';
  if (/[?#]/.test(text)) return 'must have neither ? nor #';
  if (url.pathname.includes('/.well-known/')) return 'must end before /.well-known/';
  return undefined;
}

/** A scope of OAuth (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const ONE_LINE = /^[^\p{C}]*$/u;

/** Settings of the identity provider that people may sign in by. */
const OIDC_SETTINGS = {
  /** Its issuer, to the letter as its discovery document has it; empty: nobody signs in by a provider. */
  OIDC_ISSUER: z
    .string()
    .default('')
    .superRefine((text, context) => {
      const problem = text === '' ? undefined : issuerProblem(text);
      if (problem !== undefined) context.addIssue(problem);
    }),
  OIDC_CLIENT_ID: z.string().max(500).regex(ONE_LINE, 'must be on one line').default(''),
  /** Empty: a public client, which PKCE alone protects. */
  OIDC_CLIENT_SECRET: z.string().max(2000).regex(ONE_LINE, 'must be on one line').default(''),
  /** What the button says; empty: the host of the issuer. */
  OIDC_NAME: z.string().max(100).regex(ONE_LINE, 'must be on one line').default(''),
  /** Separated by spaces. */
  OIDC_SCOPES: z
    .string()
    .default('openid email profile')
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine((list) => list.includes('openid'), 'must have openid among them, as in openid email profile')
    .refine((list) => list.every((one) => SCOPE.test(one)), 'must be scopes, such as openid email profile')
    .transform((list) => list.join(' ')),
  /** Whether an e-mail address counts as verified where the provider does not say so, or says that it is not. */
  OIDC_TRUST_EMAIL: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
};

type Given = Partial<Record<'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET', string>>;

/** What does not go together in them; each begins with the name of one. */
function oidcMisfits({ OIDC_ISSUER = '', OIDC_CLIENT_ID = '', OIDC_CLIENT_SECRET = '' }: Given): string[] {
  if (OIDC_ISSUER !== '' && OIDC_CLIENT_ID === '') {
    return ['OIDC_CLIENT_ID: is missing; OIDC_ISSUER needs the id that the provider gave this service'];
  }
  const alone = OIDC_CLIENT_ID !== '' ? 'OIDC_CLIENT_ID' : OIDC_CLIENT_SECRET !== '' ? 'OIDC_CLIENT_SECRET' : undefined;
  if (OIDC_ISSUER === '' && alone) return [`${alone}: means nothing without OIDC_ISSUER`];
  return [];
}

/** The address of one server as NATS_URL has it, `nats://` left out or not; null when it is none. */
export function natsUrl(text: string): URL | null {
  const url = text.trim();
  return URL.parse(url.includes('://') ? url : `nats://${url}`);
}

const csv = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

/** As browsers send it: a path or a slash at its end would match none. */
const isOrigin = (text: string): boolean => text === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/.test(text);

/** An http or https address of a host, with its port or without, and nothing else. */
function isBareUrl(text: string): boolean {
  if (text === '') return true;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(text.toLowerCase());
}

const bareUrl = (example: string) =>
  z
    .string()
    .default('')
    .refine(isBareUrl, `must be an address without a path, such as ${example}`)
    .transform((url) => (url === '' ? '' : new URL(url).origin));

function isNatsServer(text: string): boolean {
  const parsed = natsUrl(text);
  return parsed !== null && ['nats:', 'tls:'].includes(parsed.protocol) && NATS_HOST.test(parsed.hostname);
}

/** The connection takes scheme, user and password of the first address for all of them. */
function isOneNats(list: string): boolean {
  const wanted = list.split(',').map((text) => natsUrl(text));
  return new Set(wanted.map((url) => `${url?.protocol}//${url?.username}:${url?.password}`)).size <= 1;
}

/** Tokens that end with a dot: without spaces and wildcards, and not beginning with what is the server's own. */
const SUBJECT_PREFIX = /^(?![$_])(?:(?:[\x21-\x29\x2b-\x2d\x2f-\x3d\x3f-\x7a]|\{tenant_id\})+\.)*$/;

const NATS_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i;
const DNS_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;

const MAIL_FROM = /^(?:[^<>@"\p{Cc}]{1,80} <[^\s<>@]+@[\w.-]+>|[^\s<>@]+@[\w.-]+)$/u;

function isMailServer(text: string): boolean {
  if (text === '') return true;
  const url = URL.parse(text);
  return /^smtps?:$/.test(url?.protocol ?? '') && url!.hostname !== '' && /^\/?$/.test(url!.pathname) && !url!.search;
}

/** Every setting an operator has, from the environment; the table in README.md lists them. */
export const SettingsSchema = z.object({
  /** Where checks and channels may go. Actions go to public addresses only, always. */
  CHECK_EGRESS: z
    .enum(['public', 'any'])
    .default('public')
    .transform((egress): Egress => egress),
  /** CIDRs that everything may reach, whatever CHECK_EGRESS says. */
  EGRESS_ALLOW: csv,
  /** `closed`: no connection from here gets out to port 25, so that checks of it are refused. */
  SMTP_EGRESS: z.enum(['open', 'closed']).default('open'),
  MIN_INTERVAL_SECONDS: z.coerce.number().int().min(1).default(10),
  /** Origins that a browser may call the API from; `*` for any. */
  ALLOWED_ORIGINS: csv
    .transform((list) => (list.length === 0 ? ['*'] : list))
    .refine((list) => list.every(isOrigin), 'must be * or origins without a path, such as https://app.example.com'),
  /** The address that people open in a browser; empty: one with a host that no stranger can point here. */
  PUBLIC_URL: bareUrl('https://status.example.com'),
  /** Where ping URLs lead; empty: to PUBLIC_URL, or else to the service itself. */
  PING_URL: bareUrl('https://ping.example.com'),
  /** Further names that browsers may reach the service by. */
  ALLOWED_HOSTS: csv.refine(
    (list) => list.every((name) => DNS_NAME.test(name)),
    'must be names without scheme, port and path, such as status.example.com',
  ),
  /** A session ends after so many days at the latest, and after so many without use. */
  SESSION_DAYS: z.coerce.number().int().min(1).max(90).default(30),
  SESSION_IDLE_DAYS: z.coerce.number().int().min(1).max(90).default(7),
  ...OIDC_SETTINGS,
  /** One or more servers, separated by commas; empty: no NATS channels. */
  NATS_URL: z
    .string()
    .default('')
    .refine(
      (list) => list === '' || list.split(',').every(isNatsServer),
      'must be one or more addresses such as nats://nats.example.com:4222, separated by commas',
    )
    .refine(isOneNats, 'must have one scheme, and one user and password, in all of its addresses'),
  /**
   * Prefix of every NATS channel's subject, so that tenants do not share subjects; `{tenant_id}` is the account's id.
   */
  NATS_SUBJECT_PREFIX: z
    .string()
    .max(128)
    .regex(SUBJECT_PREFIX, 'must be tokens that each end with a dot, such as fleetwatch.{tenant_id}. ; or empty')
    .default('fleetwatch.{tenant_id}.'),
  /** The operator's mail server; empty: no mail channels. */
  SMTP_URL: z
    .string()
    .default('')
    .refine(
      isMailServer,
      'must be smtp:// or smtps://, with user:password@ or without, such as smtp://user:password@mail.example.com:587',
    ),
  /** Whom the mails are from. */
  MAIL_FROM: z
    .string()
    .default('')
    .refine(
      (from) => from === '' || MAIL_FROM.test(from),
      'must be an address, with a name or without: Fleetwatch <alerts@example.com>',
    ),
  /**
   * A name to look up, NS, when no target answers any more: `.` for the root; empty: our own network is never
   * suspected.
   */
  REFERENCE_HOST: z
    .string()
    .default('')
    .refine((name) => name === '' || name === '.' || DNS_NAME.test(name), 'must be . or a name such as example.com'),
  /** The list of the registries of domains and their RDAP servers, as RFC 9224 has it: IANA's, or a copy of it. */
  RDAP_BOOTSTRAP_URL: z.url({ protocol: /^https?$/ }).default('https://data.iana.org/rdap/dns.json'),
  /** `off`, or rates in place of the host's own: `push=1000/10000,send=5/20`, a second and at once. */
  RATE_LIMITS: z
    .string()
    .default('')
    .superRefine((text, context) => {
      const problem = rateListProblem(text);
      if (problem !== undefined) context.addIssue(problem);
    }),
  /** Streams of MCP's protocol of 2024-11-05 that one key may hold open. */
  MCP_STREAMS_PER_KEY: z.coerce.number().int().min(1).max(1000).default(3),
  /** How long such a stream lives; Lambda ends one after 900 s. */
  MCP_STREAM_SECONDS: z.coerce.number().int().min(1).max(840).default(840),
  /** How long the audit log keeps an entry, in days. */
  AUDIT_DAYS: z.coerce.number().int().min(30).max(3650).default(400),
  /** An incident is over when nothing of it was down for so long; a failure before that continues it. */
  INCIDENT_QUIET_SECONDS: z.coerce.number().int().min(0).max(3600).default(300),
  /** Partitions of the schedule. Fixed once there is data. */
  SHARDS: z.coerce.number().int().min(1).max(1024).default(4),
  /** Partitions of each tenant's lists and feeds. Fixed once there is data. */
  BUCKETS: z.coerce.number().int().min(1).max(64).default(4),
  /** Probes of one process that connect and shake hands at once: more of them wait for its CPU, and measure that. */
  PROBES_AT_ONCE: z.coerce.number().int().min(1).max(1000).default(25),
  /** Jobs due within this time travel in one message. */
  JOB_GROUP_MS: z.coerce.number().int().min(10).max(1000).default(1000),
});

export type Settings = z.output<typeof SettingsSchema>;

/** Parses an environment; throws one sentence that names each setting that is wrong. */
export function readSettings(env: Record<string, string | undefined>): Settings;
export function readSettings<Schema extends z.ZodType>(
  env: Record<string, string | undefined>,
  schema: Schema,
): z.output<Schema>;
export function readSettings(env: Record<string, string | undefined>, schema: z.ZodType = SettingsSchema): unknown {
  const parsed = schema.safeParse(env, { error: plainErrors });
  if (parsed.success) {
    const wrong = misfits(parsed.data as Partial<Settings>);
    if (wrong.length > 0) throw wrongSettings(wrong);
    return parsed.data;
  }
  throw wrongSettings(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

/** What does not go together. */
function misfits(settings: Partial<Settings>): string[] {
  const { SESSION_DAYS = 0, SESSION_IDLE_DAYS = 0, SMTP_URL = '', MAIL_FROM = '' } = settings;
  return [
    ...(SMTP_URL !== '' && MAIL_FROM === ''
      ? ['MAIL_FROM: must be set where SMTP_URL is, as mails need a sender']
      : []),
    ...(SESSION_DAYS < SESSION_IDLE_DAYS
      ? [`SESSION_DAYS: must be at least SESSION_IDLE_DAYS, which is ${SESSION_IDLE_DAYS}`]
      : []),
    ...oidcMisfits(settings),
  ];
}

/** One sentence for all that is wrong. @param table where they are described */
export function wrongSettings(wrong: string[], table = 'the table of settings in README.md'): Error {
  const told = wrong.join('; ');
  return new Error(`Settings are wrong. ${told}${/[.?]$/.test(told) ? '' : '.'} See ${table}.`);
}
