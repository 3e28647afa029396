import * as z from 'zod';
import { type FunctionName, functions } from '#infra/topology.ts';
import type { SecretSetting } from '#lib/aws/environment.ts';
import { LOG_LEVELS } from '#lib/platform/log.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { readSettings, SettingsSchema, settingsError } from '#lib/settings.ts';
import { unknownSettingText } from '#lib/unknown-settings.ts';
import { neverAllowedReason } from './blocked-ranges.ts';

/** Retention periods of a CloudWatch log group, in days. */
const RETENTIONS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

const STREAM_ARN = /^(?:|arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\w:.-]+)$/;

const SECRET = /^[\w/+=.-]{0,512}$/;

const KEY_ARN = /^(?:|arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+)$/;
const CERTIFICATE_ARN = /^(?:|arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+)$/;
const VAULT_ARN = /^(?:|arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50})$/;

const subnets = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .refine(
    (list) => list.every((id) => /^subnet-[0-9a-f]{8,17}$/.test(id)),
    'ids such as subnet-0a1b2c3d, comma-separated',
  );

const certificate = z
  .string()
  .regex(CERTIFICATE_ARN, 'the ARN of a certificate in us-east-1, arn:aws:acm:us-east-1:…:certificate/<id>; or empty')
  .default('');

const trueOrFalse = z.enum(['true', 'false']);

const reservations = z
  .string()
  .default('')
  .transform((text, context): Partial<Record<FunctionName, number>> => {
    const pairs = text.split(',').filter(Boolean);
    const known = pairs.map((pair) => /^\s*([a-z-]+)=([1-9]\d{0,4})\s*$/.exec(pair));
    const invalid = pairs.find((_, i) => !known[i] || !(known[i][1]! in functions));
    if (invalid !== undefined) {
      context.addIssue(`"${invalid}" is not <function>=<number>, as in "ingest=100,api=50"`);
      return z.NEVER;
    }
    return Object.fromEntries(known.map((match) => [match![1], Number(match![2])]));
  });

/** Settings of the service that come from a secret, each with the setting that names the secret. */
export const SECRETS = {
  NATS_URL: 'NATS_URL_SECRET',
  SMTP_URL: 'SMTP_URL_SECRET',
  OIDC_CLIENT_SECRET: 'OIDC_SECRET',
} as const satisfies Record<SecretSetting, string>;

const AS_SECRETS = { NATS_URL: true, SMTP_URL: true, OIDC_CLIENT_SECRET: true } as const;

const secret = z
  .string()
  .regex(
    SECRET,
    'the name of a secret (letters, digits and /_+=.-), without @ and a version, which is not needed; or empty',
  )
  .default('');

const units = (fallback: number) => z.coerce.number().int().min(100).max(10_000_000).default(fallback);

/** Settings that only a deployment on AWS has. */
export const StackSettings = z.object({
  STACK_NAME: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,40}$/, 'letters, digits and hyphens')
    .default('fleetwatch')
    .describe('Name of the stack. Several stacks can run side by side.'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe('`info`, `warn`, `error` or `silent`. Alarms and metrics do not depend on it.'),
  LOG_RETENTION_DAYS: z.coerce
    .number()
    .refine((days) => RETENTIONS.includes(days as 30), `one of ${RETENTIONS.join(', ')}`)
    .default(30)
    .describe('Retention of logs in days.'),
  DELETION_PROTECTION: trueOrFalse
    .default('true')
    .transform((text) => text === 'true')
    .describe(
      '`true`: the table cannot be deleted and outlives the stack, and the stack is protected from termination. ' +
        '`false`: the table is deleted with the stack.',
    ),
  TABLE_STREAM_ARN: z
    .string()
    .regex(STREAM_ARN, 'the LatestStreamArn of a table, arn:aws:dynamodb:…:table/<name>/stream/<time>; or empty')
    .default('')
    .describe('Stream of an existing table, such as a restored one, to use instead of a table of the stack.'),
  TABLE_MAX_WRITES: units(4000).describe(
    'Maximum write units per second of the table, which bounds its price. Beyond it, requests are throttled and retried.',
  ),
  TABLE_MAX_READS: units(12_000).describe('Maximum read units per second of the table, as for `TABLE_MAX_WRITES`.'),
  THROTTLE_RATE: z.coerce
    .number()
    .int()
    .min(1)
    .default(500)
    .describe('Maximum requests per second of the API over all accounts, without pushes and MCP streams.'),
  THROTTLE_BURST: z.coerce.number().int().min(1).default(1000).describe('Maximum burst of requests above that rate.'),
  THROTTLE_PUSH_RATE: z.coerce
    .number()
    .int()
    .min(1)
    .default(2000)
    .describe('Maximum requests per second for results, and the same number each for heartbeats and pings.'),
  THROTTLE_PUBLIC_RATE: z.coerce
    .number()
    .int()
    .min(1)
    .default(200)
    .describe(
      'Maximum requests per second for badges, and the same number for status pages. Requests that CloudFront or S3 serves do not count.',
    ),
  RESERVED_CONCURRENCY: reservations.describe(
    'Reserved concurrency of functions: `ingest=100,api=50,mcp=20`. Empty: none, because a new AWS account has nothing to ' +
      'reserve from.',
  ),
  CDN: trueOrFalse
    .default('true')
    .transform((text) => text === 'true')
    .describe('`true`: CloudFront in front of everything. `false`: API and MCP are called directly.'),
  CONCURRENCY: z
    .union([z.literal(''), z.coerce.number().int().min(10)], 'a whole number, 10 or more; or empty')
    .default('')
    .transform((total) => (total === '' ? undefined : total))
    .describe('Concurrent Lambda executions of the AWS account that this stack may use. Empty: all.'),
  KMS_KEY_ARN: z
    .string()
    .regex(KEY_ARN, 'the ARN of a key, arn:aws:kms:…:key/<id>; or empty')
    .default('')
    .describe('KMS key that encrypts table, queues and environment variables. Its policy must delegate to IAM.'),
  BACKUP_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3650)
    .default(0)
    .describe('Retention in days of a daily backup (AWS Backup), in a vault that outlives the stack. 0: no backups.'),
  BACKUP_COPY_VAULT_ARN: z
    .string()
    .regex(VAULT_ARN, 'the ARN of a vault, arn:aws:backup:…:backup-vault:<name>; or empty')
    .default('')
    .describe('Vault in another account or region that receives a copy of each backup.'),
  VPC_ID: z
    .string()
    .regex(/^(?:|vpc-[0-9a-f]{8,17})$/, 'the id of a VPC, vpc-…; or empty')
    .default('')
    .describe('VPC for the functions that connect to targets and channels.'),
  SUBNETS: subnets.describe('Subnets of that VPC, separated by commas. They need a route to the internet (NAT).'),
  VPC_IPV6: trueOrFalse
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true`: functions in that VPC also connect over IPv6. The subnets need IPv6 and a route for it.'),
  EDGE_SECRET_VERSION: z.coerce
    .number()
    .int()
    .min(1)
    .default(1)
    .describe('Number of the secret that CloudFront and the functions share. Add 1 to rotate it.'),
  DOMAIN_NAME: z
    .string()
    .default('')
    .describe('Own domain name of the service. Point it at the output `DomainTarget` (CNAME, or alias in Route 53).'),
  CERTIFICATE_ARN: certificate.describe('Certificate of that name, in us-east-1.'),
  STATUS_CERTIFICATE_ARN: certificate.describe(
    'Certificate of all `STATUS_DOMAINS`, in us-east-1. Point them at the output `StatusDomainTarget` (CNAME, or alias in ' +
      'Route 53).',
  ),
  NATS_URL_SECRET: secret.describe(
    'Name of the Secrets Manager secret with `NATS_URL`. Only the deliverer reads it, every five minutes.',
  ),
  SMTP_URL_SECRET: secret.describe(
    'Secret with `SMTP_URL`, as for `NATS_URL_SECRET`; with SES ' +
      '`smtp://<SMTP user>:<SMTP password>@email-smtp.<region>.amazonaws.com:587`.',
  ),
  OIDC_SECRET: secret.describe(
    'Secret with `OIDC_CLIENT_SECRET`, as for `NATS_URL_SECRET`. Only the sign-in function reads it.',
  ),
  ALARM_EMAIL: z
    .union([z.literal(''), z.email()])
    .default('')
    .describe('Recipient of alarms, who must confirm an e-mail from AWS.'),
  BUDGET_DOLLARS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .default(0)
    .describe(
      'Monthly budget of the whole AWS account in dollars. AWS sends a mail to `ALARM_EMAIL` at 80 % of it, and when it ' +
        'forecasts more than all of it. 0: no budget.',
    ),
});

/** Maximum bursts of an API Gateway account: usual, and in the regions with a maximum rate of 2,500. */
const MAX_BURST = 5000;
const SMALL_REGION_BURST = 1250;
const SMALL_REGION_RATE = 2500;

/** Returns the burst for a rate: twice the rate, at most the burst of the regions that admit the rate. Pure. */
export const burstOf = (rate: number): number =>
  Math.min(2 * rate, rate <= SMALL_REGION_RATE ? SMALL_REGION_BURST : MAX_BURST);

/** All settings of a deployment, in `deploy/<name>.json`. */
export const DeploySettings = z.object({
  ...StackSettings.shape,
  ...SettingsSchema.omit(AS_SECRETS).shape,
  PING_URL: z.union([z.literal('function'), SettingsSchema.shape.PING_URL], {
    error: '`function`, or a base address such as https://ping.example.com; or empty',
  }),
});

export type DeploySettings = z.output<typeof DeploySettings>;

/** Reads the settings of an environment. Throws an Error that names each invalid setting. */
export function readDeploySettings(given: unknown): DeploySettings {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error('Settings are an object of names and values, such as {"ALARM_EMAIL": "ops@example.com"}.');
  const names = Object.keys(DeploySettings.shape);
  const wrong = Object.entries(given).flatMap(([key, value]) =>
    !names.includes(key)
      ? [unknownSettingText(key, names)]
      : ['string', 'number', 'boolean'].includes(typeof value)
        ? []
        : [`${key}: must be a text, a number, true or false`],
  );
  if (wrong.length > 0) throw settingsError(wrong, 'docs/operate/settings.md');
  const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  const settings = withoutStreams(readSettings(texts, DeploySettings), texts);
  const conflicts = conflictsOf(settings);
  if (conflicts.length > 0) throw new Error(`Settings are wrong. ${conflicts.join(' ')} See docs/operate/settings.md.`);
  return settings;
}

/** Whether a context key can be a setting. Keys of the CDK have `-`, `:` or `/` (`@aws-cdk/…`), or are `tree`. */
const isSettingLike = (key: string): boolean =>
  /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/.test(key) || /^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(key);

/** Throws an Error that names each setting in the context of the CDK, because no command reads settings there. */
export function assertNoSettings(context: Readonly<Record<string, unknown>>, file: string): void {
  const misplaced = Object.keys(context).filter(isSettingLike);
  if (misplaced.length === 0) return;
  const names = misplaced.join(', ');
  throw new Error(`Settings are in ${file}. Move ${names} there from -c, cdk.json, cdk.context.json or ~/.cdk.json.`);
}

/** Minimum concurrency for MCP streams: with less, open streams would take what checks and alerts need. */
const CONCURRENCY_FOR_STREAMS = 100;

const withoutStreams = (settings: DeploySettings, given: Record<string, unknown>): DeploySettings =>
  (settings.CONCURRENCY ?? CONCURRENCY_FOR_STREAMS) < CONCURRENCY_FOR_STREAMS && !('MCP_STREAMS_PER_KEY' in given)
    ? { ...settings, MCP_STREAMS_PER_KEY: 0 }
    : settings;

function conflictsOf(settings: DeploySettings): string[] {
  const { DOMAIN_NAME, CERTIFICATE_ARN, VPC_ID, SUBNETS, CHECK_EGRESS, EGRESS_ALLOW } = settings;
  const { STATUS_DOMAINS, STATUS_CERTIFICATE_ARN } = settings;
  const { BACKUP_DAYS, BACKUP_COPY_VAULT_ARN, CDN, OIDC_ISSUER, OIDC_SECRET, SMTP_URL_SECRET, MAIL_FROM } = settings;
  const never = EGRESS_ALLOW.flatMap((cidr) => neverAllowedReason(cidr) ?? []);
  return [
    (DOMAIN_NAME === '') !== (CERTIFICATE_ARN === '') && 'DOMAIN_NAME and CERTIFICATE_ARN: set both or neither.',
    DOMAIN_NAME !== '' && !CDN && 'DOMAIN_NAME needs CloudFront: remove DOMAIN_NAME, or set CDN to true.',
    (STATUS_DOMAINS.length === 0) !== (STATUS_CERTIFICATE_ARN === '') &&
      'STATUS_DOMAINS and STATUS_CERTIFICATE_ARN: set both or neither.',
    STATUS_DOMAINS.length > 0 && !CDN && 'STATUS_DOMAINS needs CloudFront: remove STATUS_DOMAINS, or set CDN to true.',
    STATUS_DOMAINS.includes(DOMAIN_NAME.toLowerCase()) &&
      `STATUS_DOMAINS: remove ${DOMAIN_NAME}, which is the DOMAIN_NAME of the service.`,
    (VPC_ID === '') !== (SUBNETS.length === 0) && 'VPC_ID and SUBNETS: set both or neither.',
    settings.VPC_IPV6 && VPC_ID === '' && 'VPC_IPV6: needs VPC_ID and SUBNETS.',
    CHECK_EGRESS === 'any' &&
      VPC_ID === '' &&
      'CHECK_EGRESS: without VPC_ID and SUBNETS, any reaches only networks of AWS, not yours.',
    ...never.map((reason) => `EGRESS_ALLOW: ${reason}.`),
    BACKUP_COPY_VAULT_ARN !== '' && BACKUP_DAYS === 0 && 'BACKUP_COPY_VAULT_ARN: needs BACKUP_DAYS.',
    OIDC_ISSUER.startsWith('http:') &&
      'OIDC_ISSUER: must begin with https://, because a function cannot run a local provider.',
    (SMTP_URL_SECRET === '') !== (MAIL_FROM === '') && 'SMTP_URL_SECRET and MAIL_FROM: set both or neither.',
    SMTP_URL_SECRET !== '' &&
      settings.PUBLIC_URL === '' &&
      DOMAIN_NAME === '' &&
      'SMTP_URL_SECRET: needs DOMAIN_NAME or PUBLIC_URL, because recipients of mail confirm by a link.',
    OIDC_SECRET !== '' && OIDC_ISSUER === '' && 'OIDC_SECRET: needs OIDC_ISSUER.',
    settings.BUDGET_DOLLARS > 0 && settings.ALARM_EMAIL === '' && 'BUDGET_DOLLARS: needs ALARM_EMAIL, its recipient.',
  ].filter((one) => one !== false);
}

const originsOf = ({ ALLOWED_ORIGINS, DOMAIN_NAME }: DeploySettings): string[] => [
  ...new Set([...ALLOWED_ORIGINS, ...(DOMAIN_NAME === '' ? [] : [`https://${DOMAIN_NAME}`])]),
];

/** Returns the origins whose pages may use MCP, which ignores `*`. */
export const namedOrigins = (settings: DeploySettings): string[] =>
  originsOf(settings).filter((origin) => origin !== '*');

/** Returns the origins for a gateway, which accepts either `*` or names. */
export function corsOrigins(settings: DeploySettings): string[] {
  const origins = originsOf(settings);
  return origins.includes('*') ? ['*'] : origins;
}

/** Returns the settings as environment variables of a function. @param isOutside whether it is never in a VPC */
export function serviceEnvironment(settings: DeploySettings, isOutside: boolean): Record<string, string> {
  const names = namesOf(SettingsSchema.omit(AS_SECRETS).shape);
  return {
    ...Object.fromEntries(names.map((name) => [name, String(settings[name])])),
    ALLOWED_ORIGINS: originsOf(settings).join(','),
    // The functions that show ping URLs get their base from edge/ping-url.ts.
    PING_URL: '',
    // Outside a VPC, functions cannot reach private mail servers, and `any` would open networks of AWS.
    SMTP_EGRESS: settings.VPC_ID === '' || isOutside ? 'closed' : settings.SMTP_EGRESS,
    CHECK_EGRESS: isOutside ? 'public' : settings.CHECK_EGRESS,
    PUBLIC_URL: settings.PUBLIC_URL || (settings.DOMAIN_NAME && `https://${settings.DOMAIN_NAME}`),
  };
}
