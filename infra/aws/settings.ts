import type { Node } from 'constructs';
import * as z from 'zod';
import { type FunctionName, functions } from '#infra/topology.ts';
import { LOG_LEVELS } from '#lib/platform/log.ts';
import { readSettings, SettingsSchema, wrongSettings } from '#lib/settings.ts';
import { unknownSettingText } from '#lib/unknown-settings.ts';
import { neverAllowed } from './blocked-ranges.ts';

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

/** Name of a secret, `@` and the id of its version. */
const secret = z
  .string()
  .regex(SECRET, 'the name of a secret, or name@version-id (32 to 64 letters, digits and hyphens); or empty')
  .default('');

/** Settings of a deployment only. */
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
  DELETION_PROTECTION: yesOrNo
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
  THROTTLE_RATE: z.coerce
    .number()
    .int()
    .min(1)
    .default(1000)
    .describe('Requests a second that the API accepts over all accounts, without pushes and MCP streams.'),
  THROTTLE_BURST: z.coerce.number().int().min(1).default(2000).describe('Requests at once in addition to that rate.'),
  THROTTLE_PUSH_RATE: z.coerce
    .number()
    .int()
    .min(1)
    .default(5000)
    .describe('Results, heartbeats and pings a second that the API accepts, of each; twice as many at once.'),
  RESERVED_CONCURRENCY: reservations.describe(
    'Reserved concurrency of functions: `ingest=100,api=50,mcp=20`. Empty: none, as a new AWS account has nothing to ' +
      'reserve from.',
  ),
  CDN: yesOrNo
    .default('true')
    .transform((text) => text === 'true')
    .describe('`true`: CloudFront in front of all functions. `false`: API and MCP are called directly.'),
  CONCURRENCY: z
    .union([z.literal(''), z.coerce.number().int().min(10)], 'a whole number, 10 or more; or empty')
    .default('')
    .transform((total) => (total === '' ? undefined : total))
    .describe('Share of the Lambda concurrency of the AWS account that this stack may use. Empty: all of it.'),
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
  DOMAIN_NAME: z
    .string()
    .default('')
    .describe('Own domain name of the service. Point it at the output `DomainTarget` (CNAME, or alias in Route 53).'),
  CERTIFICATE_ARN: z.string().default('').describe('Certificate of that name, in us-east-1.'),
  NATS_URL_SECRET: secret.describe(
    'Name of the Secrets Manager secret that holds `NATS_URL`, `@` and the id of its version. Only the deliverer ' +
      'gets it.',
  ),
  SMTP_URL_SECRET: secret.describe(
    'The same for `SMTP_URL`; with SES ' +
      '`smtp://<SMTP user>:<SMTP password>@email-smtp.<region>.amazonaws.com:587`.',
  ),
  OIDC_SECRET: secret.describe('The same for `OIDC_CLIENT_SECRET`. Only the function that signs in gets it.'),
  ALARM_EMAIL: z
    .union([z.literal(''), z.email()])
    .default('')
    .describe('Recipient of alarms, who has to confirm a mail from AWS.'),
});

/** Every setting of a deployment. Each is a CDK context key: in cdk.json, or `-c NAME=value`. */
export const DeploySettings = z.object({
  ...StackSettings.shape,
  // Some settings of the service come as a secret.
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
      strange.map((key) => unknownSettingText(key, names)),
      'docs/operate/settings.md',
    );
  const given = Object.keys(DeploySettings.shape).flatMap((name) => {
    const value: unknown = node.tryGetContext(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  const settings = readSettings(Object.fromEntries(given), DeploySettings);
  const wrong = misfits(settings);
  if (wrong.length > 0) throw new Error(`Settings are wrong. ${wrong.join(' ')} See docs/operate/settings.md.`);
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
