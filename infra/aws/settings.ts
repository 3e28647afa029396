import type { Node } from 'constructs';
import * as z from 'zod';
import { type FunctionName, functions } from '#infra/topology.ts';
import { LOG_LEVELS } from '#lib/platform/log.ts';
import { readSettings, SettingsSchema, wrongSettings } from '#lib/settings.ts';
import { told } from '#lib/unknown-settings.ts';
import { neverAllowed } from './never-allowed.ts';

/** How long CloudWatch can keep a log group, in days. */
const RETENTIONS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

const STREAM_ARN = /^(?:|arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\w:.-]+)$/;

const SECRET = /^(?:|[\w/+=.:-]+(?:@[A-Za-z0-9-]{32,64})?)$/;

const KEY_ARN = /^(?:|arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+)$/;
const VAULT_ARN = /^(?:|arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50})$/;

const subnets = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .refine(
    (list) => list.every((id) => /^subnet-[0-9a-f]{8,17}$/.test(id)),
    'ids such as subnet-0a1b2c3d, comma-separated',
  );

const yesOrNo = z.enum(['true', 'false']);

const reservations = z
  .string()
  .default('')
  .transform((text, context): Partial<Record<FunctionName, number>> => {
    const pairs = text.split(',').filter(Boolean);
    const known = pairs.map((pair) => /^\s*([a-z-]+)=([1-9]\d{0,4})\s*$/.exec(pair));
    const wrong = pairs.find((_, i) => !known[i] || !(known[i][1]! in functions));
    if (wrong !== undefined) {
      context.addIssue(`"${wrong}" is not <function>=<number>, as in "ingest=100,api=50"`);
      return z.NEVER;
    }
    return Object.fromEntries(known.map((match) => [match![1], Number(match![2])]));
  });

/** Settings that stand in a secret, which another setting names. */
const AS_SECRETS = { NATS_URL: true, SMTP_URL: true, OIDC_CLIENT_SECRET: true } as const;

/**
 * Every setting of a deployment. Each is a CDK context key: in cdk.json, or `-c NAME=value`. docs/DEPLOY.md has the
 * table; a test compares the two.
 */
export const DeploySettings = z.object({
  STACK_NAME: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,40}$/, 'letters, digits and hyphens')
    .default('fleetwatch'),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  LOG_RETENTION_DAYS: z.coerce
    .number()
    .refine((days) => RETENTIONS.includes(days as 30), `one of ${RETENTIONS.join(', ')}`)
    .default(30),
  /** Of the table. Without it the table goes with the stack. */
  DELETION_PROTECTION: yesOrNo.default('true').transform((text) => text === 'true'),
  /** Of a table that stands already, to use in place of one of the stack's own. */
  TABLE_STREAM_ARN: z
    .string()
    .regex(STREAM_ARN, 'the LatestStreamArn of a table, arn:aws:dynamodb:…:table/<name>/stream/<time>; or empty')
    .default(''),
  /** Requests a second that the API takes, over all tenants. */
  THROTTLE_RATE: z.coerce.number().int().min(1).default(1000),
  THROTTLE_BURST: z.coerce.number().int().min(1).default(2000),
  /** Pushes and heartbeats a second, which have a throttle of their own. */
  THROTTLE_PUSH_RATE: z.coerce.number().int().min(1).default(5000),
  /** `ingest=100,api=50`; empty: none, as a new account has nothing to reserve from. */
  RESERVED_CONCURRENCY: reservations,
  /** CloudFront over it all. Without it the API and the address that streams are called as they are. */
  CDN: yesOrNo.default('true').transform((text) => text === 'true'),
  /** Of Lambda's concurrency in the account, what is this service's to use; empty: as much as there is. */
  CONCURRENCY: z
    .union([z.literal(''), z.coerce.number().int().min(10)], 'a whole number, 10 or more; or empty')
    .default('')
    .transform((total) => (total === '' ? undefined : total)),
  /** A key of KMS that table and queues are encrypted with. */
  KMS_KEY_ARN: z.string().regex(KEY_ARN, 'the ARN of a key, arn:aws:kms:…:key/<id>; or empty').default(''),
  /** Backups of AWS Backup beside point-in-time recovery, kept for so many days; 0: none. */
  BACKUP_DAYS: z.coerce.number().int().min(0).max(3650).default(0),
  /** A vault elsewhere that takes a copy of each backup. */
  BACKUP_COPY_VAULT_ARN: z
    .string()
    .regex(VAULT_ARN, 'the ARN of a vault, arn:aws:backup:…:backup-vault:<name>; or empty')
    .default(''),
  /** A VPC of the operator's, for whatever reaches out. */
  VPC_ID: z
    .string()
    .regex(/^(?:|vpc-[0-9a-f]{8,17})$/, 'the id of a VPC, vpc-…; or empty')
    .default(''),
  SUBNETS: subnets,
  /** Own name of the service, with its certificate in us-east-1. */
  DOMAIN_NAME: z.string().default(''),
  CERTIFICATE_ARN: z.string().default(''),
  /** Name of the Secrets Manager secret that holds NATS_URL, `@` and the id of the version to use. */
  NATS_URL_SECRET: z
    .string()
    .regex(SECRET, 'the name of a secret, or name@version-id (32 to 64 letters, digits and hyphens); or empty')
    .default(''),
  /** The same for SMTP_URL. */
  SMTP_URL_SECRET: z
    .string()
    .regex(SECRET, 'the name of a secret, or name@version-id (32 to 64 letters, digits and hyphens); or empty')
    .default(''),
  /** The same for OIDC_CLIENT_SECRET, which the function that signs in gets alone. */
  OIDC_SECRET: z
    .string()
    .regex(SECRET, 'the name of a secret, or name@version-id (32 to 64 letters, digits and hyphens); or empty')
    .default(''),
  /** Who is told of alarms. */
  ALARM_EMAIL: z.union([z.literal(''), z.email()]).default(''),
  /** The service's own settings, as on one machine; some come as a secret. */
  ...SettingsSchema.omit(AS_SECRETS).shape,
});

export type DeploySettings = z.output<typeof DeploySettings>;

/** CDK's own context keys have hyphens, colons or slashes (`@aws-cdk/…`, `availability-zones:…`), or are `tree`. */
const isSettingLike = (key: string): boolean =>
  /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/.test(key) || /^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(key);

/** The settings in the context; throws one sentence that names each that is wrong. */
export function readDeploySettings(node: Node): DeploySettings {
  const names = Object.keys(DeploySettings.shape);
  const strange = Object.keys(node.getAllContext()).filter((key) => isSettingLike(key) && !names.includes(key));
  if (strange.length > 0)
    throw wrongSettings(
      strange.map((key) => told(key, names)),
      'docs/DEPLOY.md',
    );
  const given = Object.keys(DeploySettings.shape).flatMap((name) => {
    const value: unknown = node.tryGetContext(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  const settings = readSettings(Object.fromEntries(given), DeploySettings);
  const wrong = misfits(settings);
  if (wrong.length > 0) throw new Error(`Settings are wrong. ${wrong.join(' ')} See docs/DEPLOY.md.`);
  return settings;
}

/** What does not go together, or not on AWS, a sentence each. */
function misfits(settings: DeploySettings): string[] {
  const { DOMAIN_NAME, CERTIFICATE_ARN, VPC_ID, SUBNETS, CHECK_EGRESS, EGRESS_ALLOW } = settings;
  const { BACKUP_DAYS, BACKUP_COPY_VAULT_ARN, CDN, OIDC_ISSUER, OIDC_SECRET, SMTP_URL_SECRET, MAIL_FROM } = settings;
  const never = EGRESS_ALLOW.flatMap((cidr) => neverAllowed(cidr) ?? []);
  return [
    (DOMAIN_NAME === '') !== (CERTIFICATE_ARN === '') && 'DOMAIN_NAME and CERTIFICATE_ARN come together.',
    DOMAIN_NAME !== '' && !CDN && 'DOMAIN_NAME is a name of CloudFront: leave it out, or CDN=false.',
    (VPC_ID === '') !== (SUBNETS.length === 0) && 'VPC_ID and SUBNETS come together.',
    CHECK_EGRESS === 'any' &&
      VPC_ID === '' &&
      'CHECK_EGRESS: any reaches nothing of yours without VPC_ID and SUBNETS, only networks of AWS itself.',
    ...never.map((reason) => `EGRESS_ALLOW: ${reason}.`),
    BACKUP_COPY_VAULT_ARN !== '' && BACKUP_DAYS === 0 && 'BACKUP_COPY_VAULT_ARN: needs BACKUP_DAYS.',
    OIDC_ISSUER.startsWith('http:') && 'OIDC_ISSUER: must begin with https://, as no provider runs beside a function.',
    (SMTP_URL_SECRET === '') !== (MAIL_FROM === '') && 'SMTP_URL_SECRET and MAIL_FROM come together.',
    OIDC_SECRET !== '' && OIDC_ISSUER === '' && 'OIDC_SECRET: means nothing without OIDC_ISSUER.',
  ].filter((one) => one !== false);
}

/** The origins whose pages may call: what ALLOWED_ORIGINS says, and the service's own. */
const originsOf = ({ ALLOWED_ORIGINS, DOMAIN_NAME }: DeploySettings): string[] => [
  ...new Set([...ALLOWED_ORIGINS, ...(DOMAIN_NAME === '' ? [] : [`https://${DOMAIN_NAME}`])]),
];

/** Those whose pages may use MCP, to whom `*` is nobody. */
export const namedOrigins = (settings: DeploySettings): string[] =>
  originsOf(settings).filter((origin) => origin !== '*');

/** All of them as a gateway wants it, that knows `*` alone or names alone. */
export function corsOrigins(settings: DeploySettings): string[] {
  const origins = originsOf(settings);
  return origins.includes('*') ? ['*'] : origins;
}

/** The service's settings as every function finds them in its environment. */
export function serviceEnvironment(settings: DeploySettings): Record<string, string> {
  const names = Object.keys(SettingsSchema.omit(AS_SECRETS).shape) as (keyof DeploySettings)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, String(settings[name])])),
    ALLOWED_ORIGINS: originsOf(settings).join(','),
    // Functions outside a VPC do not get there.
    SMTP_EGRESS: settings.VPC_ID === '' ? 'closed' : settings.SMTP_EGRESS,
    PUBLIC_URL: settings.PUBLIC_URL || (settings.DOMAIN_NAME && `https://${settings.DOMAIN_NAME}`),
  };
}
