import type { Node } from 'constructs';
import * as z from 'zod';
import { type FunctionName, functions } from '#infra/topology.ts';
import { LOG_LEVELS } from '#lib/platform/log.ts';
import { readSettings, SettingsSchema, wrongSettings } from '#lib/platform/settings.ts';
import { told } from '#lib/platform/unknown-settings.ts';

/** How long CloudWatch can keep a log group, in days. */
const RETENTIONS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

const STREAM_ARN = /^(?:|arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\w:.-]+)$/;

const SECRET = /^(?:|[\w/+=.:-]+(?:@[A-Za-z0-9-]{32,64})?)$/;

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
  /** `ingest=100,api=50`; empty: none, as a new account has nothing to reserve from. */
  RESERVED_CONCURRENCY: reservations,
  /** Own name of the service, with its certificate in us-east-1. */
  DOMAIN_NAME: z.string().default(''),
  CERTIFICATE_ARN: z.string().default(''),
  /** Name of the Secrets Manager secret that holds NATS_URL, `@` and the id of the version to use. */
  NATS_URL_SECRET: z
    .string()
    .regex(SECRET, 'the name of a secret, or name@version-id (32 to 64 letters, digits and hyphens); or empty')
    .default(''),
  /** Who is told of alarms. */
  ALARM_EMAIL: z.union([z.literal(''), z.email()]).default(''),
  /** The service's own settings, as on one machine; NATS_URL comes as a secret. */
  ...SettingsSchema.omit({ NATS_URL: true }).shape,
});

export type DeploySettings = z.output<typeof DeploySettings>;

/** CDK's own keys of the context have hyphens, colons or slashes (`@aws-cdk/…`, `availability-zones:…`), or are `tree`. */
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
  if ((settings.DOMAIN_NAME === '') !== (settings.CERTIFICATE_ARN === '')) {
    throw new Error('Settings are wrong. DOMAIN_NAME and CERTIFICATE_ARN come together. See docs/DEPLOY.md.');
  }
  return settings;
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
  const names = Object.keys(SettingsSchema.omit({ NATS_URL: true }).shape) as (keyof DeploySettings)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, String(settings[name])])),
    ALLOWED_ORIGINS: originsOf(settings).join(','),
  };
}
